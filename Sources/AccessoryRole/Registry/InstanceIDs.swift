package import HAPModel

/// The iids of one accessory: given once to each service and characteristic, kept for ever, never given again.
package struct InstanceIDs: Equatable, Sendable {
    /// The iids by what they are for: `43` for a service, `43/25` for a characteristic of it, `43#left` and `43#left/25` where
    /// an accessory has several of one type.
    ///
    /// Ids of parts that are gone stay here, so that they are not given to others.
    package private(set) var ids: [String: InstanceID]

    package init(ids: [String: InstanceID] = [:]) { self.ids = ids }

    /// The id of a service.
    package mutating func id(of service: ServiceType, _ name: String? = nil) -> InstanceID {
        id(of: Self.part(service, name))
    }

    /// The id of a characteristic of a service.
    package mutating func id(
        of characteristic: CharacteristicType, in service: ServiceType, _ name: String? = nil
    ) -> InstanceID {
        id(of: "\(Self.part(service, name))/\(characteristic)")
    }

    private static func part(_ service: ServiceType, _ name: String?) -> String {
        name.map { "\(service)#\($0)" } ?? service.description
    }

    private mutating func id(of part: String) -> InstanceID {
        if let id = ids[part] { return id }
        // The Accessory Information service comes first and so gets its prescribed 1.
        let id = InstanceID((ids.values.max()?.rawValue ?? 0) + 1)
        ids[part] = id
        return id
    }
}
