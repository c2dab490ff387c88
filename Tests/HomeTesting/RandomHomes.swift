package import HAPModel
import HAPTesting
package import HomeModel

/// Homes that change at random, in the same way for the same seed.
package struct RandomHomes {
    package private(set) var graph = HomeGraph()
    private var random: SeededNumbers
    /// The last write, including rejected ones.
    package private(set) var lastWrite: HomeWrite?

    package init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    /// Makes random changes until one succeeds.
    package mutating func next() throws -> HomeTransaction {
        while true {
            do {
                if let transaction = try change() { return transaction }
            } catch is HomeError {
                // The write was rejected; nothing has changed.
            }
        }
    }

    /// Applies a random value to a random characteristic; returns both.
    package mutating func receive(at time: Int64) -> (Characteristic.ID, CharacteristicValue)? {
        let characteristics = graph.homes.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
        guard let id = pick(characteristics)?.id else { return nil }
        let values: [CharacteristicValue] = [
            .bool(true), .integer(.max), .float(0.1), .float(-1e300), .string("Küche \u{1F4A1} \"\\"), .data([0, 255]),
        ]
        let value = pick(values) ?? .bool(false)
        graph.apply(.valueUpdated(id, value, time: .init(millisecondsSince1970: time)))
        return (id, value)
    }

    /// Tries one random change.
    ///
    /// - Returns: The transaction; `nil` if nothing changed.
    /// - Throws: A ``HomeError`` if the change is rejected.
    package mutating func change() throws -> HomeTransaction? {
        switch Int.random(in: 0..<46, using: &random) {
        case 0: return graph.homes.count < 2 ? try perform(.addHome(name: name())) : nil
        case 1: return try perform(.renameHome(home(), name: name()))
        case 2: return Int.random(in: 0..<6, using: &random) == 0 ? try perform(.removeHome(home())) : nil
        case 3: return try perform(.setPrimaryHome(home()))
        case 4, 5: return try perform(.addRoom(home(), name: name()))
        case 6: return try perform(.renameRoom(room(), name: name()))
        case 7: return try perform(.removeRoom(home(), room()))
        case 8, 9: return try perform(.addZone(home(), name: name()))
        case 10: return try perform(.renameZone(zone(), name: name()))
        case 11: return try perform(.removeZone(home(), zone()))
        case 12, 13: return try perform(.addRoomToZone(zone(), room()))
        case 14: return try perform(.removeRoomFromZone(zone(), room()))
        case 15: return try perform(.assignAccessory(home(), accessory(), room()))
        case 16: return try perform(.renameAccessory(accessory(), name: name()))
        case 17: return try perform(.removeAccessory(home(), accessory()))
        case 18: return try perform(.unblockAccessory(home(), accessory()))
        case 19: return try perform(.renameService(service(), name: name()))
        case 20: return try perform(.setAssociatedServiceType(service(), pick([.fan, .outlet, nil]) ?? nil))
        case 21: return try perform(.setFavorite(service(), Bool.random(using: &random)))
        case 22, 30:
            return try perform(.addActionSet(home(), name: name(), kind: pick(ActionSet.Kind.allCases) ?? .sleep))
        case 23: return try perform(.removeActionSet(actionSet()))
        case 24: return try perform(.renameActionSet(actionSet(), name: name()))
        case 25, 31, 32: return try perform(.setActions(actionSet(), actions()))
        case 26: return graph.block(accessory())
        case 27, 28: return try add()
        case 33: return try perform(.addServiceGroup(home(), name: name()))
        case 34, 35: return try perform(.addServiceToServiceGroup(serviceGroup(), service()))
        case 36: return try perform(.renameServiceGroup(serviceGroup(), name: name()))
        case 37:
            return try perform(
                Bool.random(using: &random)
                    ? .removeServiceGroup(serviceGroup()) : .removeServiceFromServiceGroup(serviceGroup(), service()))
        case 38, 39:
            return try perform(.addTrigger(home(), name: name(), definition(), isEnabled: Bool.random(using: &random)))
        case 40:
            return try perform(
                Bool.random(using: &random) ? .renameTrigger(trigger(), name: name()) : .removeTrigger(trigger()))
        case 41: return try perform(.updateTrigger(trigger(), definition()))
        case 42: return try perform(.enableTrigger(trigger(), Bool.random(using: &random)))
        case 43: return try perform(.addPerson(home(), name: name()))
        case 44:
            return try perform(
                pick([
                    .setPresence(person(), isHome: true), .setPresence(person(), isHome: false),
                    .renamePerson(person(), name: name()), .removePerson(person()),
                ]) ?? .removePerson(person()))
        case 45:
            let places = [
                try? HomeLocation(latitude: -33.86, longitude: 151.21),
                try? HomeLocation(latitude: 0, longitude: 180, timeZone: "Etc/GMT+12"), nil,
            ]
            return try perform(.setLocation(home(), pick(places) ?? nil))
        default: return try update()
        }
    }

    private mutating func perform(_ write: HomeWrite) throws -> HomeTransaction? {
        lastWrite = write
        return try graph.perform(write, using: &random).transaction
    }

    private mutating func actions() -> [CharacteristicWriteAction] {
        let characteristics = graph.homes.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
            .filter { $0.type == .on || $0.type == .identify }
        return (0..<4).compactMap { _ in
            pick(characteristics).map { CharacteristicWriteAction(characteristic: $0.id, targetValue: .bool(true)) }
        }
    }

    private mutating func definition() -> TriggerDefinition {
        let characteristics = graph.homes.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
        let observed = pick(characteristics.filter { $0.type == .on })
        let events: [TriggerEvent] =
            [
                .presence(.firstEntry, people: Bool.random(using: &random) ? [person()] : []),
                .significant(SunTime(.sunset, offset: .seconds(-1800))),
                .unreachable(accessory(), duration: .seconds(60)),
            ] + (observed.map { [.characteristic($0.id, value: .bool(true))] } ?? [])
        return TriggerDefinition(
            events: [pick(events) ?? .presence(.firstEntry, people: [])],
            condition: Bool.random(using: &random) ? .not(.weekday(.weekend)) : nil,
            actionSets: Bool.random(using: &random) ? [actionSet()] : [], steps: [.write(actions()), .notify("💡 \"")])
    }

    private mutating func add() throws -> HomeTransaction? {
        let number = UInt8.random(in: 0..<12, using: &random)
        let addition = AccessoryAddition(
            home: home(), deviceID: deviceID(number), category: number < 6 ? .lightbulb : .bridge,
            accessories: number < 6 ? [device(1)] : bridge(),
            descriptions: [CharacteristicID(AccessoryID(1), InstanceID(11)): "Colour of \u{1F4A1}"],
            name: Bool.random(using: &random) ? name() : nil)
        return try graph.add(addition, using: &random).transaction
    }

    private mutating func update() throws -> HomeTransaction? {
        let number = UInt8.random(in: 0..<12, using: &random)
        return try graph.update(deviceID(number), with: number < 6 ? [device(1)] : bridge(), using: &random)
    }

    private func deviceID(_ number: UInt8) -> DeviceID {
        guard let id = DeviceID(octets: [2, 0, 0, 0, 0, number]) else { preconditionFailure("six octets are an id") }
        return id
    }

    private mutating func bridge() -> [AccessoryObject] {
        [AccessoryObject(aid: .bridge, services: [information()])]
            + [2, 3, 4, UInt64.max].filter { _ in Bool.random(using: &random) }.map { device($0) }
    }

    private mutating func device(_ aid: UInt64) -> AccessoryObject {
        var services = [information()]
        let types: [ServiceType] = [.lightbulb, .outlet, .switch, .contactSensor]
        for (index, type) in types.shuffled(using: &random).enumerated() where Bool.random(using: &random) {
            services.append(
                ServiceObject(
                    iid: InstanceID(UInt64(10 * index + 10)), type: type, isPrimary: index == 0,
                    isHidden: Int.random(in: 0..<4, using: &random) == 0, linked: services.dropFirst().map(\.iid),
                    characteristics: [
                        CharacteristicObject(
                            iid: InstanceID(UInt64(10 * index + 11)), type: .on,
                            metadata: CharacteristicMetadata(
                                format: .bool, permissions: [.pairedRead, .pairedWrite, .notify]),
                            value: .bool(false))
                    ]))
        }
        return AccessoryObject(aid: AccessoryID(aid), services: services.shuffled(using: &random))
    }

    private mutating func information() -> ServiceObject {
        func text(_ iid: UInt64, _ type: CharacteristicType, _ text: String) -> CharacteristicObject {
            CharacteristicObject(
                iid: InstanceID(iid), type: type,
                metadata: CharacteristicMetadata(
                    format: .string, permissions: .pairedRead, unit: nil, minimum: 0.1, maximum: 1e300),
                value: .string(text))
        }
        return ServiceObject(
            iid: .accessoryInformation, type: .accessoryInformation,
            characteristics: [
                text(2, .name, name()), text(3, .manufacturer, "Maker's"), text(4, .model, ""),
                text(5, .firmwareRevision, pick(["1.0", "2.0"]) ?? "3.0"),
                CharacteristicObject(
                    iid: InstanceID(6), type: .identify,
                    metadata: CharacteristicMetadata(format: .bool, permissions: .pairedWrite), value: nil),
            ])
    }

    // MARK: Choices, mostly of existing objects

    private mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    private mutating func name() -> String {
        pick([
            "Kitchen", "Hall", "Kid's Room", "Lamp", "Lamp 2", "Küche", "Home", "Upstairs", "Evening", "居間",
            "Straße", "Fan", "Bridge", "📚 lamp", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n",
            "o", "p", "q", "r", "s",
        ]) ?? ""
    }

    private mutating func home() -> Home.ID { pick(graph.homes)?.id ?? Home.ID(using: &random) }

    private mutating func room() -> Room.ID {
        pick(graph.homes.flatMap { [$0.defaultRoomID] + $0.rooms.map(\.id) }) ?? Room.ID(using: &random)
    }

    private mutating func zone() -> Zone.ID { pick(graph.homes.flatMap(\.zones))?.id ?? Zone.ID(using: &random) }

    private mutating func accessory() -> Accessory.ID {
        pick(graph.homes.flatMap(\.accessories))?.id ?? Accessory.ID(using: &random)
    }

    private mutating func service() -> Service.ID {
        pick(graph.homes.flatMap(\.accessories).flatMap(\.services))?.id ?? Service.ID(using: &random)
    }

    private mutating func actionSet() -> ActionSet.ID {
        pick(graph.homes.flatMap(\.actionSets))?.id ?? ActionSet.ID(using: &random)
    }

    private mutating func trigger() -> Trigger.ID {
        pick(graph.homes.flatMap(\.triggers))?.id ?? Trigger.ID(using: &random)
    }

    private mutating func person() -> Resident.ID {
        pick(graph.homes.flatMap(\.people))?.id ?? Resident.ID(using: &random)
    }

    private mutating func serviceGroup() -> ServiceGroup.ID {
        pick(graph.homes.flatMap(\.serviceGroups))?.id ?? ServiceGroup.ID(using: &random)
    }
}
