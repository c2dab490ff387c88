import HAPModel
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

private let arrival = TriggerDefinition(events: [.presence(.firstEntry, people: [])], steps: [.notify("Hello")])

@Suite("An app's automations", .timeout)
struct AutomationTests {
    @Test("are part of its homes when the call returns, without events")
    func ownWrites() async throws {
        try await withHome { daemon, manager in
            let home = try await manager.addHome(named: "My Home")
            let events = manager.allEvents()
            let trigger = try await manager.addTrigger(named: "Arrival", to: home.id, arrival)
            #expect(trigger.definition == arrival && trigger.isEnabled)
            #expect(try await manager.renameTrigger(trigger.id, to: "Welcome").name == "Welcome")
            #expect(try await manager.setEnabled(false, of: trigger.id).isEnabled == false)
            let exit = TriggerDefinition(events: [.presence(.lastExit, people: [])], steps: arrival.steps)
            #expect(try await manager.updateTrigger(trigger.id, to: exit).definition == exit)
            let anna = try await manager.addPerson(named: "Anna", to: home.id)
            #expect(try await manager.renamePerson(anna.id, to: "Ann").name == "Ann")
            #expect(try await manager.setPresence(of: anna.id, isHome: true).isHome)
            let place = try HomeLocation(latitude: 52.52, longitude: 13.4)
            #expect(try await manager.setLocation(place, of: home.id).location == place)
            #expect(await manager.homes == daemon.graph.homes)
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.addTrigger(named: "Nothing", to: home.id, TriggerDefinition(events: exit.events))
                } == .noRegisteredActionSets)
            try await manager.removePerson(anna.id)
            try await manager.removeTrigger(trigger.id)
            let last = try #require(await manager.homes.first)
            #expect(last.triggers == [] && last.people == [])
            try await daemon.write(.addHome(name: "Marker"))
            #expect(await events.take(1).map(\.name) == ["homeAdded"])
        }
    }

    @Test("send events about the writes of other apps, evaluations and removed parts")
    func others() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let lamp = try #require(home.accessories.first)
            let events = manager.events(in: home.id)
            let missing = TriggerDefinition(
                events: [.unreachable(lamp.id, duration: .seconds(60))], steps: [.notify("Gone")])
            try await daemon.write(.addTrigger(home.id, name: "Gone", missing, isEnabled: true))
            let trigger = try #require(await daemon.graph.homes.first?.triggers.first)
            let record = TriggerRecord(
                trigger: trigger.id, time: .now, cause: .user, result: .ran, run: 1,
                outcomes: [ActionOutcome(.notify("Gone"), time: .now)])
            await daemon.configure { $0.records = [record] }
            #expect(try await manager.runTrigger(trigger.id, mode: .always) == record)
            try await daemon.write(.addPerson(home.id, name: "Anna"))
            let anna = try #require(await daemon.graph.homes.first?.people.first)
            try await daemon.write(.setPresence(anna.id, isHome: true))
            try await daemon.write(.setLocation(home.id, try HomeLocation(latitude: 1, longitude: 2)))
            _ = try await manager.removeAccessory(lamp.id, from: home.id)
            try await daemon.write(.removeTrigger(trigger.id))
            let received = await events.take(7)
            #expect(
                received.map(\.change.name) == [
                    "triggerAdded", "triggerFired", "personAdded", "presenceUpdated", "locationUpdated",
                    "triggerUpdated", "triggerRemoved",
                ])
            #expect(received[1].change == .triggerFired(trigger, record))
            var broken = trigger
            broken.losePart(named: lamp.name)
            #expect(received[5].change == .triggerUpdated(broken))
            #expect(received[5].home.activationState(of: broken) == .missingParts([lamp.name]))
        }
    }

    @Test("return their status and history, and the daylight of the home")
    func queries() async throws {
        try await withHome { daemon, manager in
            let home = try await manager.addHome(named: "My Home")
            let one = try await manager.addTrigger(named: "One", to: home.id, arrival)
            let two = try await manager.addTrigger(named: "Two", to: home.id, arrival)
            let records = [one, two].map { trigger in
                TriggerRecord(
                    trigger: trigger.id, time: .now, cause: .event(arrival.events[0]),
                    result: .conditionFalse(.weekday(.monday)))
            }
            let daylight = Daylight(civilDawn: nil, sunrise: nil, sunset: .now, civilDusk: nil, timeZone: "UTC")
            #expect(
                await refusal { () throws(HomeError) in try await manager.daylight(of: home.id) }
                    == .locationForHomeDisabled)
            await daemon.configure { daemon in
                daemon.records = records
                daemon.daylight = daylight
            }
            #expect(try await manager.triggerStatuses(of: home.id).map(\.last) == records)
            #expect(try await manager.triggerHistory(of: home.id) == records)
            #expect(try await manager.triggerHistory(of: home.id, trigger: two.id) == [records[1]])
            #expect(try await manager.daylight(of: home.id) == daylight)
        }
    }

    @Test("send messages to the apps that requested them, even after a lost connection")
    func messages() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            try await daemon.write(.addTrigger(home.id, name: "Arrival", arrival, isEnabled: true))
            let trigger = try #require(await daemon.graph.homes.first?.triggers.first)
            let texts = ["First", "Second"].map {
                TriggerMessage(home: home.id, trigger: trigger.id, text: $0, time: .now)
            }
            let messages = try await manager.messages()
            await daemon.send(texts[0])
            #expect(await messages.take(1) == [texts[0]])
            await daemon.hangUp()
            try await eventually { await daemon.asked.count { $0 == .receiveMessages } == 2 }
            await daemon.send(texts[1])
            #expect(await messages.take(1) == [texts[1]])
        }
    }

    @Test("fail with an error if the daemon is too old for them")
    func formerDaemon() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.unknownMethods = ["automations.add", "automations.history"] }
        } _: { daemon, manager in
            let home = try await manager.addHome(named: "My Home")
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.addTrigger(named: "Arrival", to: home.id, arrival)
                } == .noCompatibleHomeHub)
            #expect(
                await refusal { () throws(HomeError) in try await manager.triggerHistory(of: home.id) }
                    == .noCompatibleHomeHub)
        }
    }
}
