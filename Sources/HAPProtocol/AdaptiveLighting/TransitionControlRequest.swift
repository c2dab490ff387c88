package import HAPModel

/// A hub's write to CharacteristicValueTransitionControl (143), which always requests a write response.
package enum TransitionControlRequest: Equatable, Sendable {
    /// Requests the configuration of a characteristic's active transition.
    case read(InstanceID)
    /// Starts a transition, or replaces the active one.
    case update(TransitionConfiguration)
    /// Ends the transition of a characteristic.
    case disable(InstanceID)

    /// Parses a written value.
    ///
    /// - Throws: ``TransitionViolation`` if the value is invalid.
    package init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        let items = try TransitionItems(parsing: bytes)
        switch (try items.bytes(1), try items.bytes(2)) {
        case (let read?, nil): self = .read(try TransitionItems(parsing: read).instanceID(1))
        case (nil, let update?):
            let bytes = try TransitionItems(parsing: update).required(1, .configuration)
            let configuration = try TransitionItems(parsing: bytes)
            // A hub disables a transition by omitting the item. Accept an item of zero, too, as HAP-NodeJS does.
            switch try configuration.number(3, .enable) {
            case nil, 0: self = .disable(try configuration.instanceID(1))
            case _?: self = .update(try TransitionConfiguration(parsing: bytes))
            }
        case (nil, nil): throw .missing(.request)
        case (_?, _?): throw .invalid(.request)
        }
    }

    /// The bytes to write.
    package var encoded: [UInt8] {
        func update(_ configuration: [UInt8]) -> [UInt8] {
            let items = [TLV8.Item(type: 1, value: configuration)]
            return TLV8.encode([TLV8.Item(type: 2, value: TLV8.encode(items))])
        }
        func instance(_ instance: InstanceID) -> [UInt8] {
            TLV8.encode([TLV8.Item(type: 1, shortest: instance.rawValue)])
        }
        return switch self {
        case .read(let id): TLV8.encode([TLV8.Item(type: 1, value: instance(id))])
        case .update(let configuration): update(configuration.encoded(explicitHolds: false))
        case .disable(let id): update(instance(id))
        }
    }
}
