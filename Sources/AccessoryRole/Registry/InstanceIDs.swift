package import HAPModel

/// The iids of one accessory.
///
/// Each service and characteristic keeps its iid permanently, and iids are never reused.
package struct InstanceIDs: Equatable, Sendable {
    /// The iids by key, such as `43` for a service, and `43/25` for one of its characteristics.
    ///
    /// If an accessory has several services of one type, the keys also contain the function's id: `43#left` and
    /// `43#left/25`. The iids of removed services and characteristics stay in the dictionary, so that they aren't
    /// reused.
    package private(set) var ids: [String: InstanceID]

    package init(ids: [String: InstanceID] = [:]) { self.ids = ids }

    /// Returns the iid of a service, and assigns an iid if the service has none.
    package mutating func id(of service: ServiceType, _ name: String? = nil) -> InstanceID {
        id(of: Self.part(service, name))
    }

    /// Returns the iid of a service's characteristic, and assigns an iid if the characteristic has none.
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
        // Accessory Information is the first service, so it gets iid 1, as HAP 9.2 requires.
        let id = InstanceID((ids.values.max()?.rawValue ?? 0) + 1)
        ids[part] = id
        return id
    }
}
