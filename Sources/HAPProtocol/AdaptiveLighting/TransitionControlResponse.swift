package import HAPModel

/// How far an active transition is; also what a plain read of CharacteristicValueTransitionControl (143) gives.
package struct TransitionStatus: Equatable, Sendable {
    /// The ColorTemperature that follows the curve.
    package let colorTemperature: InstanceID
    /// The parameters that the hub gave.
    package let parameters: TransitionParameters
    /// Since the curve was received, in whole milliseconds.
    package let elapsed: Duration

    package init(colorTemperature: InstanceID, parameters: TransitionParameters, elapsed: Duration) {
        self.colorTemperature = colorTemperature
        self.parameters = parameters
        self.elapsed = .milliseconds(elapsed.milliseconds)
    }

    /// Reads a status.
    ///
    /// - Throws: a violation.
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
    /// To `read`: this transition is active.
    case active(TransitionConfiguration)
    /// To `read`: none is.
    case inactive
    /// To `update`: the curve is followed.
    case updated(TransitionStatus)
    /// To `disable`.
    case disabled

    /// Reads a response.
    ///
    /// - Throws: a violation.
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
    /// A configuration is written with the hold of every entry, as HAP-NodeJS answers.
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
