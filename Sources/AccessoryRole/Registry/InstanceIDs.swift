package import HAPModel

/// The iids of one accessory; each service and characteristic keeps its iid permanently, and iids are never reused.
package struct InstanceIDs: Equatable, Sendable {
    /// The iids by their keys: `43` for a service, `43/25` for a characteristic of it, and `43#left` and `43#left/25`
    /// if an accessory has several services of one type.
    ///
    /// The ids of removed parts stay here, so that they are not reused.
    package private(set) var ids: [String: InstanceID]

    package init(ids: [String: InstanceID] = [:]) { self.ids = ids }

    /// Returns the id of a service, assigning one if needed.
    package mutating func id(of service: ServiceType, _ name: String? = nil) -> InstanceID {
        id(of: Self.part(service, name))
    }

    /// Returns the id of a service's characteristic, assigning one if needed.
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
        // The Accessory Information service comes first and gets its prescribed 1.
        let id = InstanceID((ids.values.max()?.rawValue ?? 0) + 1)
        ids[part] = id
        return id
    }
}
