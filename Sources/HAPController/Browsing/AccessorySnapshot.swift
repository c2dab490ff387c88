package import Discovery
package import HAPModel

/// A change of one accessory server between two snapshots.
package enum AccessoryChange: Equatable, Sendable {
    case found(AdvertisedAccessory)
    case changed(AdvertisedAccessory)
    case removed(AdvertisedAccessory)
}

/// The accessory servers that are visible at one moment.
package struct AccessorySnapshot: Equatable, Sendable {
    /// A service of type ``Advertisement/serviceType`` whose record is invalid or unsupported.
    package struct RejectedService: Equatable, Sendable {
        /// The instance name.
        package let name: String
        /// The problem with the service's record.
        package let reason: String
    }

    /// The accessories, ordered by name, with unique device ids.
    package var accessories: [AdvertisedAccessory] = []
    package var rejected: [RejectedService] = []
    /// A Boolean value that indicates whether all hosts have had time to answer the first query.
    package var isComplete = false
    /// The reason why discovery currently finds nothing new, as text for users; `nil` if discovery works.
    package var discoveryError: String?

    package init() {}

    /// Creates a snapshot from the discovered services.
    package init(_ snapshot: ServiceSnapshot) {
        isComplete = snapshot.isComplete
        discoveryError = snapshot.discoveryError
        for service in snapshot.services {
            do throws(AdvertisedAccessory.BadRecord) {
                add(try AdvertisedAccessory(service))
            } catch {
                rejected.append(RejectedService(name: service.name, reason: error.description))
            }
        }
    }

    /// Adds an accessory.
    ///
    /// If the device id is already known, adds only the endpoints to the known accessory.
    ///
    /// Two hosts may advertise the same id, for example if one host is a clone or an impostor. Pair verify finds the
    /// right host among the endpoints. All other properties come from the first record.
    private mutating func add(_ accessory: AdvertisedAccessory) {
        guard let index = accessories.firstIndex(where: { $0.id == accessory.id }) else {
            accessories.append(accessory)
            return
        }
        let more = accessory.endpoints.filter { !accessories[index].endpoints.contains($0) }
        accessories[index].endpoints += more
    }

    package subscript(id: DeviceID) -> AdvertisedAccessory? { accessories.first { $0.id == id } }

    /// Returns the changes since an earlier snapshot; several changes of one accessory are combined.
    package func changes(since former: AccessorySnapshot) -> [AccessoryChange] {
        let removed = former.accessories.filter { self[$0.id] == nil }.map(AccessoryChange.removed)
        return removed
            + accessories.compactMap { accessory in
                guard let known = former[accessory.id] else { return .found(accessory) }
                return known == accessory ? nil : .changed(accessory)
            }
    }
}
