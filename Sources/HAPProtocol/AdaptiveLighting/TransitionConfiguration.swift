package import HAPModel

/// The configuration of a transition that a hub enables: a curve, the characteristic that follows it, and intervals.
package struct TransitionConfiguration: Equatable, Sendable {
    /// The ColorTemperature characteristic that follows the curve.
    package let colorTemperature: InstanceID
    /// The hub's parameters, which the hub reads back.
    package let parameters: TransitionParameters
    package let curve: AdaptiveLightingCurve
    /// The time between automatic changes of the color temperature.
    package let updateInterval: Duration
    /// The time after an event during which automatic changes cause no other event.
    package let notifyThreshold: Duration

    static let enabled: UInt64 = 1

    /// Parses a configuration that enables a transition.
    ///
    /// - Throws: ``TransitionViolation`` if the bytes are invalid.
    package init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        let items = try TransitionItems(parsing: bytes)
        colorTemperature = try items.instanceID(1)
        parameters = try TransitionParameters(parsing: try items.required(2, .parameters))
        guard let enable = try items.number(3, .enable) else { throw .missing(.enable) }
        guard enable == Self.enabled else { throw .invalid(.enable) }
        curve = try AdaptiveLightingCurve(parsing: try items.required(5, .curve))
        updateInterval =
            try items.duration(6, .updateInterval, maximum: UInt64(UInt16.max)) ?? .milliseconds(60_000)
        guard updateInterval > .zero else { throw .invalid(.updateInterval) }
        notifyThreshold = try items.duration(8, .notifyThreshold) ?? .milliseconds(600_000)
    }

    /// Returns the bytes of the configuration.
    ///
    /// With `explicitHolds`, an entry without a hold is encoded with a hold of 0.
    package func encoded(explicitHolds: Bool) -> [UInt8] {
        TLV8.encode([
            TLV8.Item(type: 1, shortest: colorTemperature.rawValue),
            TLV8.Item(type: 2, value: parameters.encoded),
            TLV8.Item(type: 3, shortest: Self.enabled),
            TLV8.Item(type: 5, value: curve.encoded(explicitHolds: explicitHolds)),
            TLV8.Item(type: 6, fixed: UInt16(clamping: updateInterval.milliseconds)),
            TLV8.Item(type: 8, fixed: UInt32(clamping: notifyThreshold.milliseconds)),
        ])
    }
}
