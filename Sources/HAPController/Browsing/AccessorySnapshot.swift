package import Discovery
package import HAPModel

/// How an accessory server differs between two looks.
package enum AccessoryChange: Equatable, Sendable {
    case found(AdvertisedAccessory)
    case changed(AdvertisedAccessory)
    case removed(AdvertisedAccessory)
}

/// Every accessory server that is seen at one moment.
package struct AccessorySnapshot: Equatable, Sendable {
    /// A service that calls itself an accessory server and is none that we can talk to.
    package struct RejectedService: Equatable, Sendable {
        /// The instance name.
        package let name: String
        /// What is wrong with its record.
        package let reason: String
    }

    /// Each device id once, ordered by name.
    package var accessories: [AdvertisedAccessory] = []
    package var rejected: [RejectedService] = []
    /// Whether everybody has had time to answer.
    package var isComplete = false
    /// Why nothing new can be found now, for people; `nil` when nothing is in the way.
    package var discoveryError: String?

    package init() {}

    /// Reads what was found.
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

    /// Adds an accessory, or its addresses to those of one with the same device id.
    ///
    /// Two hosts may show one id: a clone, or one that pretends. Pair verify finds the right one among their addresses; of
    /// what they say, the first counts.
    private mutating func add(_ accessory: AdvertisedAccessory) {
        guard let index = accessories.firstIndex(where: { $0.id == accessory.id }) else {
            accessories.append(accessory)
            return
        }
        let more = accessory.endpoints.filter { !accessories[index].endpoints.contains($0) }
        accessories[index].endpoints += more
    }

    package subscript(id: DeviceID) -> AdvertisedAccessory? { accessories.first { $0.id == id } }

    /// What has to happen to an earlier look to become this one; whoever was slow gets the sum of what it missed.
    package func changes(since former: AccessorySnapshot) -> [AccessoryChange] {
        let removed = former.accessories.filter { self[$0.id] == nil }.map(AccessoryChange.removed)
        return removed
            + accessories.compactMap { accessory in
                guard let known = former[accessory.id] else { return .found(accessory) }
                return known == accessory ? nil : .changed(accessory)
            }
    }
}
