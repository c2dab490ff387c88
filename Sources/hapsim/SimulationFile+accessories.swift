import AccessoryRole
import HAPModel

/// What the file describes, as HAP's accessories.
struct SimulatedAccessories {
    /// The server's own first.
    var accessories: [Accessory]
    /// How long moves take, in seconds, where they take any.
    var travel: [CharacteristicID: Double] = [:]
}

extension SimulationFile {
    /// The accessories.
    ///
    /// Iids follow the places in the file: the service at place n (from 0) has 100 + 100 n, its characteristics, sorted by name,
    /// the numbers after it; the accessory at place n behind a bridge has aid n + 2. Who adds at the end of the lists moves
    /// nothing.
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
            try made.append(entry, to: Accessory(aid: aid, services: [information]))
        }
        return made
    }
}

extension SimulatedAccessories {
    fileprivate mutating func append(_ entry: SimulationFile.Entry, to base: Accessory) throws(ServiceLinkError) {
        var accessory = base
        var services = entry.services.map(\.service)
        if !services.contains(where: \.isPrimary), !services.isEmpty { services[0].isPrimary = true }
        for (place, described) in entry.services.enumerated() {
            var service = services[place]
            let first = UInt64(100 + 100 * place)
            service.iid = InstanceID(first)
            for index in service.characteristics.indices {
                let iid = InstanceID(first + 1 + UInt64(index))
                service.characteristics[index].iid = iid
                if described.travel > 0 { travel[CharacteristicID(accessory.aid, iid)] = described.travel }
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

/// A service links to one that is not there.
struct ServiceLinkError: Error, CustomStringConvertible {
    let name: String
    let link: String

    var description: String {
        "\(name): linked: no other service has the id \(link); write id: \(link) at the one that is meant"
    }
}
