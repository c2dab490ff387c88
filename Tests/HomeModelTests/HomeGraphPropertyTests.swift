import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import Testing

@Suite("Any sequence of writes") struct HomeGraphPropertyTests {
    @Test(
        "Keeps every invariant, and whoever applies the transactions as they travel has the same homes",
        arguments: 1...8)
    func sequences(seed: UInt64) throws {
        var walk = Walk(seed: seed)
        for _ in 0..<300 { try walk.step() }
        // A walk that only fails shows nothing.
        #expect(walk.commits > 60)
        #expect(walk.refusals > 60)
        #expect(!walk.hub.homes.isEmpty)
    }
}

/// A daemon's graph, an app's copy of it, and a random way through the writes.
private struct Walk {
    var hub = HomeGraph()
    var replica = HomeGraph()
    var random: SeededNumbers
    var commits = 0
    var refusals = 0
    /// Every identity there ever was, and those that are there now.
    var everUsed: Set<String> = []
    var inUse: Set<String> = []

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    mutating func step() throws {
        let before = hub
        let transaction: HomeTransaction?
        do {
            transaction = try change()
        } catch let error as HomeError {
            refusals += 1
            if hub != before { Issue.record("\(error) changed something") }
            return
        }
        guard let transaction else {
            if hub != before { Issue.record("something changed without a transaction") }
            return
        }
        commits += 1
        #expect(transaction.revision == (before.home(transaction.home)?.revision ?? 0) + 1)
        let text = transaction.json.text
        let received = try HomeTransaction(json: JSONValue(parsing: text, maximumLength: 1 << 24))
        let application = replica.apply(received)
        #expect(application == .applied)
        if replica != hub { Issue.record("the copy differs after \(transaction.changes.map(\.event.name))") }
        let breaches = hub.breaches
        if !breaches.isEmpty { Issue.record("\(breaches) after \(transaction.changes.map(\.event.name))") }
        let present = Set(hub.identities)
        let new = present.subtracting(inUse)
        #expect(new.isDisjoint(with: everUsed))
        everUsed.formUnion(new)
        inUse = present
    }

    private mutating func change() throws -> HomeTransaction? {
        switch Int.random(in: 0..<34, using: &random) {
        case 0: return try perform(.addHome(name: name()))
        case 1: return try perform(.setFavorite(service(), Bool.random(using: &random)))
        case 2: return try perform(.renameHome(home(), name: name()))
        case 3: return Int.random(in: 0..<4, using: &random) == 0 ? try perform(.removeHome(home())) : nil
        case 4: return try perform(.setPrimaryHome(home()))
        case 5, 6: return try perform(.addRoom(home(), name: name()))
        case 7: return try perform(.renameRoom(room(), name: name()))
        case 8: return try perform(.removeRoom(home(), room()))
        case 9, 10: return try perform(.addZone(home(), name: name()))
        case 11: return try perform(.renameZone(zone(), name: name()))
        case 12: return try perform(.removeZone(home(), zone()))
        case 13, 14: return try perform(.addRoomToZone(zone(), room()))
        case 15: return try perform(.removeRoomFromZone(zone(), room()))
        case 16, 17: return try perform(.assignAccessory(home(), accessory(), room()))
        case 18: return try perform(.renameAccessory(accessory(), name: name()))
        case 19: return try perform(.removeAccessory(home(), accessory()))
        case 20: return try perform(.unblockAccessory(home(), accessory()))
        case 21: return try perform(.renameService(service(), name: name()))
        case 22:
            return try perform(.setAssociatedServiceType(service(), pick([.fan, .door, .outlet, nil]) ?? nil))
        case 23: return try add()
        case 24: return try perform(.addActionSet(home(), name: name(), kind: pick(ActionSet.Kind.allCases) ?? .sleep))
        case 25:
            guard let set = pick(hub.homes.flatMap(\.actionSets)) else { return nil }
            return try perform(
                Bool.random(using: &random)
                    ? .removeActionSet(set.id) : .renameActionSet(set.id, name: name()))
        case 26, 27: return try setActions()
        case 28: return try add()
        case 30: return try perform(.addServiceGroup(home(), name: name()))
        case 31, 32:
            guard let group = pick(hub.homes.flatMap(\.serviceGroups)) else { return nil }
            return try perform(.addServiceToServiceGroup(group.id, service()))
        case 33:
            guard let group = pick(hub.homes.flatMap(\.serviceGroups)) else { return nil }
            return switch Int.random(in: 0..<3, using: &random) {
            case 0: try perform(.removeServiceGroup(group.id))
            case 1: try perform(.renameServiceGroup(group.id, name: name()))
            default: try perform(.removeServiceFromServiceGroup(group.id, pick(group.services) ?? service()))
            }
        case 29: return hub.block(accessory())
        default: return try update()
        }
    }

    private mutating func perform(_ write: HomeWrite) throws(HomeError) -> HomeTransaction? {
        // Every write survives its way through the socket.
        let request = try HomeRequest(method: write.method, params: HomeRequest.write(write).params)
        #expect(request == .write(write))
        return try hub.perform(write, using: &random).transaction
    }

    private mutating func setActions() throws -> HomeTransaction? {
        guard let set = pick(hub.homes.flatMap(\.actionSets)) else { return nil }
        let characteristics = hub.homes.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
            .filter { $0.type == .on || $0.type == .name }
        let actions = (0..<3).compactMap { _ in
            pick(characteristics).map {
                CharacteristicWriteAction(characteristic: $0.id, targetValue: .bool(Bool.random(using: &random)))
            }
        }
        return try perform(.setActions(set.id, actions))
    }

    private mutating func add() throws -> HomeTransaction? {
        let number = Int.random(in: 0..<12, using: &random)
        let addition = AccessoryAddition(
            home: home(), deviceID: Devices.id(number), category: number < 6 ? .lightbulb : .bridge,
            accessories: number < 6 ? [device(1)] : devices(),
            name: Int.random(in: 0..<3, using: &random) == 0 ? name() : nil)
        return try hub.add(addition, using: &random).transaction
    }

    private mutating func update() throws -> HomeTransaction? {
        let number = Int.random(in: 0..<12, using: &random)
        return try hub.update(Devices.id(number), with: number < 6 ? [device(1)] : devices(), using: &random)
    }

    /// A bridge and some of five devices behind it.
    private mutating func devices() -> [HAPModel.Accessory] {
        var devices = [HAPModel.Accessory(aid: .bridge, services: [Devices.information(name: name())])]
        for aid in 2...6 where Bool.random(using: &random) { devices.append(device(UInt64(aid))) }
        return devices
    }

    private mutating func device(_ aid: UInt64) -> HAPModel.Accessory {
        let types: [ServiceType] = [.lightbulb, .outlet, .switch, .contactSensor, .statelessProgrammableSwitch]
        var device = Devices.lamp(
            name(), aid: aid, type: pick(types) ?? .fan, firmware: pick(["1.0", "2.0"]) ?? "3.0")
        if Bool.random(using: &random) {
            device.services.append(Devices.service(.fan, iid: 80, name: Bool.random(using: &random) ? name() : nil))
        }
        if Int.random(in: 0..<4, using: &random) == 0 { device.services[1].isHidden = true }
        return device
    }

    // MARK: Choosing, mostly what is there

    private mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    private mutating func name() -> String {
        pick([
            "Kitchen", "kitchen", "Hall", "Kid's Room", "Kids room", "Lamp", "Lamp 2", "Light", "Küche", "Ku\u{308}che",
            "Home", "Home 1", "Upstairs", "Evening", "居間", "Straße", "STRASSE", "Kitchen lamp", "Fan", "Bridge",
            "", " x", "📚 lamp", "Lamp!", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
        ]) ?? ""
    }

    private mutating func home() -> Home.ID { pick(hub.homes)?.id ?? Home.ID(using: &random) }

    private mutating func room() -> Room.ID {
        pick(hub.homes.flatMap { [$0.defaultRoomID] + $0.rooms.map(\.id) }) ?? Room.ID(using: &random)
    }

    private mutating func zone() -> Zone.ID { pick(hub.homes.flatMap(\.zones))?.id ?? Zone.ID(using: &random) }

    private mutating func accessory() -> Accessory.ID {
        pick(hub.homes.flatMap(\.accessories))?.id ?? Accessory.ID(using: &random)
    }

    private mutating func service() -> Service.ID {
        pick(hub.homes.flatMap(\.accessories).flatMap(\.services))?.id ?? Service.ID(using: &random)
    }
}
