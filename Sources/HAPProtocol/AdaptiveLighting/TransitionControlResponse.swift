package import HAPModel

/// The progress of an active transition, which is also the value of CharacteristicValueTransitionControl (143).
package struct TransitionStatus: Equatable, Sendable {
    /// The ColorTemperature characteristic that follows the curve.
    package let colorTemperature: InstanceID
    package let parameters: TransitionParameters
    /// The time since the curve was received, in whole milliseconds.
    package let elapsed: Duration

    package init(colorTemperature: InstanceID, parameters: TransitionParameters, elapsed: Duration) {
        self.colorTemperature = colorTemperature
        self.parameters = parameters
        self.elapsed = .milliseconds(elapsed.milliseconds)
    }

    /// Parses a status.
    ///
    /// - Throws: ``TransitionViolation`` if the bytes are invalid.
    package init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        let items = try TransitionItems(parsing: try TransitionItems(parsing: bytes).required(1, .response))
        guard let elapsed = try items.number(3, .elapsed) else { throw .missing(.elapsed) }
        self.init(
            colorTemperature: try items.instanceID(1),
            parameters: try TransitionParameters(parsing: try items.required(2, .parameters)),
            elapsed: .milliseconds(elapsed))
    }

    /// The bytes of the status.
    package var encoded: [UInt8] {
        let items = [
            TLV8.Item(type: 1, shortest: colorTemperature.rawValue), TLV8.Item(type: 2, value: parameters.encoded),
            TLV8.Item(type: 3, shortest: elapsed.milliseconds),
        ]
        return TLV8.encode([TLV8.Item(type: 1, value: TLV8.encode(items))])
    }
}

/// The response to a write of CharacteristicValueTransitionControl (143).
package enum TransitionControlResponse: Equatable, Sendable {
    /// The response to `read` if a transition is active.
    case active(TransitionConfiguration)
    /// The response to `read` if no transition is active.
    case inactive
    /// The response to `update`.
    case updated(TransitionStatus)
    /// The response to `disable`.
    case disabled

    /// Parses a response.
    ///
    /// - Throws: ``TransitionViolation`` if the bytes are invalid.
    package init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        let items = try TransitionItems(parsing: bytes)
        switch (try items.bytes(1), try items.bytes(2)) {
        case (nil, nil):
            guard bytes.isEmpty else { throw .missing(.response) }
            self = .inactive
        case (let configuration?, nil): self = .active(try TransitionConfiguration(parsing: configuration))
        case (nil, let status?):
            self = status.isEmpty ? .disabled : .updated(try TransitionStatus(parsing: status))
        case (_?, _?): throw .invalid(.response)
        }
    }

    /// The bytes of the response.
    ///
    /// In a configuration, every entry has a hold, as in HAP-NodeJS.
    package var encoded: [UInt8] {
        switch self {
        case .active(let configuration):
            TLV8.encode([TLV8.Item(type: 1, value: configuration.encoded(explicitHolds: true))])
        case .inactive: []
        case .updated(let status): TLV8.encode([TLV8.Item(type: 2, value: status.encoded)])
        case .disabled: TLV8.encode([TLV8.Item(type: 2, value: [])])
        }
    }
}
