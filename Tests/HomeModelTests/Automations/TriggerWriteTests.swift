import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

private typealias H = AutomationHome

/// A graph whose home has devices, people and a scene.
private struct Bench {
    var graph = HomeGraph(homes: [AutomationHome().home])
    var random = SeededNumbers(seed: 7)

    var home: Home { graph.homes[0] }

    @discardableResult mutating func perform(_ write: HomeWrite) throws(HomeError) -> HomeCommit {
        try graph.perform(write, at: .minute(0), using: &random)
    }

    mutating func add(_ name: String, _ definition: TriggerDefinition, isEnabled: Bool = true) throws -> Trigger {
        guard
            case .trigger(let id) = try perform(
                .addTrigger(home.id, name: name, definition, isEnabled: isEnabled)
            ).result
        else { throw HomeError(.notFound) }
        return try #require(home.trigger(id))
    }

    /// Returns the error code of a write; 0 if it succeeds.
    mutating func code(_ write: HomeWrite) -> Int {
        let before = graph
        do {
            try perform(write)
            return 0
        } catch {
            #expect(graph == before)
            return error.code.rawValue
        }
    }
}

@Suite("The home graph with automations, people and a location") struct TriggerWriteTests {
    private static let motion = TriggerDefinition(
        events: [.characteristic(H.motion, value: .bool(true))], actionSets: [H.scene])

    @Test("adds, renames, changes, disables and removes an automation") func lifecycle() throws {
        var bench = Bench()
        let trigger = try bench.add("Hall Light", Self.motion)
        #expect(trigger.isEnabled && trigger.home == bench.home.id && bench.home.revision == 2)
        #expect(bench.home.activationState(of: trigger) == .enabled)
        try bench.perform(.renameTrigger(trigger.id, name: "Hall"))
        var evening = Self.motion
        evening.condition = .sun(.after, SunTime(.sunset))
        let update = try bench.perform(.updateTrigger(trigger.id, evening))
        #expect(update.transaction?.changes.map(\.event.name) == ["triggerUpdated"])
        #expect(try bench.perform(.updateTrigger(trigger.id, evening)).transaction == nil)
        #expect(try bench.perform(.enableTrigger(trigger.id, true)).transaction == nil)
        try bench.perform(.enableTrigger(trigger.id, false))
        let changed = try #require(bench.home.trigger(trigger.id))
        #expect(changed.name == "Hall" && changed.definition == evening && !changed.isEnabled)
        let removal = try bench.perform(.removeTrigger(trigger.id))
        #expect(removal.transaction?.changes == [HomeChange(.triggerRemoved(trigger.id))])
        #expect(bench.home.triggers == [])
    }

    @Test("stores values in the formats of their characteristics") func formats() throws {
        var bench = Bench()
        let definition = TriggerDefinition(events: Self.motion.events, steps: [.set(H.brightness, .float(40))])
        #expect(try bench.add("Dim", definition).definition.steps == [.set(H.brightness, .integer(40))])
    }

    @Test("throws HomeKit's errors") func errors() throws {
        var bench = Bench()
        let home = bench.home.id
        let once = try bench.add(
            "Once", TriggerDefinition(events: [.timer(first: .minute(1), every: nil)], actionSets: [H.scene]),
            isEnabled: false)
        func add(_ name: String, _ definition: TriggerDefinition) -> HomeWrite {
            .addTrigger(home, name: name, definition, isEnabled: true)
        }
        #expect(bench.code(add("once", Self.motion)) == 31)
        #expect(bench.code(add("-", Self.motion)) == 35)
        #expect(bench.code(.renameTrigger(once.id, name: "Once")) == 33)
        #expect(bench.code(.renameTrigger(testID(90), name: "Once")) == 2)
        #expect(bench.code(.updateTrigger(testID(90), Self.motion)) == 2)
        #expect(bench.code(.removeTrigger(testID(90))) == 2)
        #expect(bench.code(.addTrigger(testID(90), name: "Two", Self.motion, isEnabled: true)) == 2)
        #expect(bench.code(add("Two", TriggerDefinition(events: Self.motion.events))) == 26)
        #expect(bench.code(.updateTrigger(once.id, TriggerDefinition(events: []))) == 27)
        // The time passes before the automation is enabled.
        #expect(throws: HomeError(.fireDateInPast)) {
            try bench.graph.perform(.enableTrigger(once.id, true), at: .minute(2), using: &bench.random)
        }
        let past = TriggerDefinition(events: [.timer(first: .minute(-1), every: nil)], actionSets: [H.scene])
        #expect(bench.code(.addTrigger(home, name: "Past", past, isEnabled: true)) == 28)
        #expect(bench.code(.addTrigger(home, name: "Past", past, isEnabled: false)) == 0)
        #expect(bench.code(.updateTrigger(once.id, past)) == 0)
        #expect(bench.code(.enableTrigger(once.id, true)) == 28)
        #expect(bench.code(.updateTrigger(once.id, once.definition)) == 0)
        #expect(bench.code(.enableTrigger(once.id, true)) == 0)
        #expect(bench.code(.updateTrigger(once.id, past)) == 28)
        #expect(bench.code(.setLocation(home, nil)) == 0)
        #expect(
            bench.code(add("Sun", TriggerDefinition(events: [.significant(SunTime(.sunset))], actionSets: [H.scene])))
                == 84)
    }

    @Test("disables automations that refer to removed objects, and lists the names of these objects")
    func missingParts() throws {
        var bench = Bench()
        let scene = try bench.add(
            "Scene", TriggerDefinition(events: [.button(H.button, .single)], actionSets: [H.scene]))
        let lamp = try bench.add(
            "Lamp", TriggerDefinition(events: [.unreachable(H.lamp, duration: .seconds(60))], steps: [.notify("x")]))
        let anna = try bench.add(
            "Anna", TriggerDefinition(events: [.presence(.everyEntry, people: [H.anna])], steps: [.notify("x")]))
        let anyone = try bench.add(
            "Anyone", TriggerDefinition(events: [.presence(.everyEntry, people: [])], steps: [.notify("x")]))
        let removal = try bench.perform(.removeAccessory(bench.home.id, H.sensor))
        var broken = scene
        broken.losePart(named: "Sensor")
        #expect(
            removal.transaction?.changes == [
                HomeChange(.accessoryRemoved(H.sensor)), HomeChange(.triggerUpdated(broken), reachesInitiator: true),
            ])
        try bench.perform(.removeActionSet(H.scene))
        try bench.perform(.removeAccessory(bench.home.id, H.lamp))
        try bench.perform(.removePerson(H.anna))
        #expect(bench.home.trigger(scene.id)?.missingParts == ["Sensor", "Evening"])
        #expect(bench.home.trigger(lamp.id)?.missingParts == ["Lamp"])
        #expect(bench.home.trigger(anna.id)?.missingParts == ["Anna"])
        #expect(bench.home.triggers.filter(\.isEnabled) == [anyone])
        let error = #expect(throws: HomeError.self) { try bench.perform(.enableTrigger(scene.id, true)) }
        #expect(error?.code == .unconfiguredParameter && error?.message.contains("Sensor, Evening") == true)
        // With a complete definition, the automation can be enabled again.
        try bench.perform(.updateTrigger(lamp.id, anyone.definition))
        #expect(bench.home.trigger(lamp.id)?.missingParts == [] && bench.home.trigger(lamp.id)?.isEnabled == false)
        #expect(bench.code(.enableTrigger(lamp.id, true)) == 0)
    }

    @Test("disables automations whose service a device no longer has") func changedServices() throws {
        var hub = TestHub()
        let home = try hub.home()
        let device = try hub.add(Devices.bridge(lamps: ["A", "B"]), to: home, category: .bridge)
        let power = try #require(hub.graph.accessory(device[1])?.services[1].characteristic(.on)?.id)
        let definition = TriggerDefinition(
            events: [.presence(.firstEntry, people: [])], steps: [.set(power, .bool(true))])
        try hub.perform(.addTrigger(home, name: "Arrival", definition, isEnabled: true))
        var devices = Devices.bridge(lamps: ["A", "B"])
        devices[1].services.removeLast()
        let transaction = try #require(try hub.graph.update(Devices.id(1), with: devices, using: &hub.random))
        #expect(transaction.changes.map(\.event.name) == ["servicesUpdated", "triggerUpdated"])
        #expect(hub.graph.home(home)?.triggers.map(\.missingParts) == [["A"]])
    }

    @Test("keeps a separate namespace for people, and ignores an unchanged presence") func people() throws {
        var bench = Bench()
        let home = bench.home.id
        #expect(bench.code(.addPerson(home, name: "anna")) == 31)
        #expect(bench.code(.addPerson(home, name: "Lamp")) == 0)
        #expect(bench.code(.renamePerson(H.ben, name: "Anna")) == 31)
        #expect(bench.code(.renamePerson(H.ben, name: "Benjamin")) == 0)
        #expect(bench.code(.setPresence(testID(90), isHome: true)) == 2)
        let arrival = try bench.perform(.setPresence(H.ben, isHome: true))
        #expect(arrival.transaction?.changes.map(\.event) == [.presenceUpdated(H.ben, isHome: true)])
        #expect(try bench.perform(.setPresence(H.ben, isHome: true)).transaction == nil)
        #expect(bench.home.people.map(\.name) == ["Anna", "Benjamin", "Lamp"])
        #expect(bench.home.people.map(\.isHome) == [false, true, false])
        for number in bench.home.people.count..<64 { try bench.perform(.addPerson(home, name: "Guest \(number)")) }
        #expect(bench.code(.addPerson(home, name: "Guest")) == 49)
    }

    @Test("sets and removes the location") func location() throws {
        var bench = Bench()
        let place = try HomeLocation(latitude: -33.86, longitude: 151.21, timeZone: "Australia/Sydney")
        let write = HomeWrite.setLocation(bench.home.id, place)
        #expect(try bench.perform(write).transaction?.changes == [HomeChange(.locationUpdated(place))])
        #expect(try bench.perform(write).transaction == nil)
        #expect(bench.home.location == place)
        try bench.perform(.setLocation(bench.home.id, nil))
        #expect(bench.home.location == nil)
    }
}
