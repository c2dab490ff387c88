import AccessoryRole
import HAPModel

/// The accessories that a file describes.
struct SimulatedAccessories {
    /// The accessories; the first accessory is the server itself.
    var accessories: [AccessoryObject]
    /// The durations of moves in seconds, by service.
    var travel: [CharacteristicID: Double] = [:]
}

extension SimulationFile {
    /// Creates the accessories.
    ///
    /// Identifiers follow the order in the file. The service at index n (from 0) has the iid 100 + 100 n, and its
    /// characteristics, sorted by name, have the iids after it. The bridged accessory at index n has the aid n + 2.
    /// Therefore, appending to the lists doesn't change existing identifiers.
    ///
    /// - Throws: ``ServiceLinkError``.
    func accessories(_ ids: inout InstanceIDs) throws(ServiceLinkError) -> SimulatedAccessories {
        let primary = PrimaryAccessory(server.information, ids: ids)
        ids = primary.ids
        var made = SimulatedAccessories(accessories: [])
        try made.append(server, to: primary.accessory)
        for (index, entry) in bridged.enumerated() {
            var own = InstanceIDs()
            let information = entry.information.service(&own)
            let aid = AccessoryID(UInt64(index + 2))
            try made.append(entry, to: AccessoryObject(aid: aid, services: [information]))
        }
        return made
    }
}

extension SimulatedAccessories {
    fileprivate mutating func append(_ entry: SimulationFile.Entry, to base: AccessoryObject) throws(ServiceLinkError) {
        var accessory = base
        var services = entry.services.map(\.service)
        if !services.contains(where: \.isPrimary), !services.isEmpty { services[0].isPrimary = true }
        for (place, described) in entry.services.enumerated() {
            var service = services[place]
            let first = UInt64(100 + 100 * place)
            service.iid = InstanceID(first)
            travel[CharacteristicID(accessory.aid, service.iid)] = described.travel
            for index in service.characteristics.indices {
                let iid = InstanceID(first + 1 + UInt64(index))
                service.characteristics[index].iid = iid
            }
            for link in described.links {
                guard let target = entry.services.firstIndex(where: { $0.id == link }), target != place else {
                    throw ServiceLinkError(name: entry.information.name, link: link)
                }
                service.linked.append(InstanceID(UInt64(100 + 100 * target)))
            }
            accessory.services.append(service)
        }
        accessories.append(accessory)
    }
}

/// An error for a link to a missing service.
struct ServiceLinkError: Error, CustomStringConvertible {
    let name: String
    let link: String

    var description: String {
        "\(name): linked: no other service has the id \(link); add id: \(link) to the service to link"
    }
}
