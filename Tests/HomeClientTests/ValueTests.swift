import HAPModel
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("Values", .timeout)
struct ValueTests {
    @Test("updates the homes with the app's reads and writes, without events")
    func readAndWrite() async throws {
        try await withLamp { daemon, manager, lamp, power in
            let events = manager.allEvents()
            let value = { await manager.homes.first?.characteristic(power)?.value }
            #expect(await value() == nil)
            await daemon.receive(power, .bool(true))
            #expect(try await manager.readValue(of: power) == .bool(true))
            #expect(await value() == .bool(true))
            try await manager.enableNotification(true, for: power)
            #expect(try await manager.writeValue(.bool(false), to: power) == .bool(false))
            #expect(await value() == .bool(false))
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.writeValue(nil, to: power)
                } == .nilParameter)
            let unknown = try #require(Characteristic.ID("00000000-0000-4000-8000-000000000000"))
            let read = try await manager.readValues(of: [power, unknown])
            #expect(read[power] == .success(.bool(false)) && read[unknown] == .failure(HomeError(.notFound)))
            #expect(try await manager.writeValues([power: .bool(true)])[power] == .success(.bool(true)))
            #expect(try await manager.readValues(of: []).isEmpty)
            try await daemon.write(.renameAccessory(lamp.id, name: "Reading Lamp"))
            #expect(await events.take(1).map(\.name) == ["accessory.nameUpdated"])
        }
    }

    @Test("keeps the value that the device chose")
    func nearest() async throws {
        try await withLamp { daemon, manager, _, power in
            await daemon.configure { $0.nearest = [power: .bool(false)] }
            let written = try await manager.writeValue(.bool(true), to: power)
            #expect(written == .bool(false))
            let several = try await manager.writeValues([power: .bool(true)])
            #expect(several[power] == .success(.bool(false)))
            #expect(await manager.homes.first?.characteristic(power)?.value == .bool(false))
        }
    }

    @Test("sends events of a value while its notifications are enabled")
    func notification() async throws {
        try await withLamp { daemon, manager, lamp, power in
            let events = manager.events(of: lamp.id)
            try await manager.enableNotification(true, for: power)
            #expect(await manager.homes.first?.characteristic(power)?.isNotificationEnabled == true)
            await daemon.receive(power, .bool(true))
            let received = try #require(await events.take(1).first)
            guard case .valueUpdated(let service, let characteristic) = received.change else {
                throw TestFailure("\(received)")
            }
            #expect(characteristic.id == power && characteristic.value == .bool(true))
            #expect(service.characteristics.contains(characteristic) && received.accessory.services.contains(service))
            try await manager.enableNotification(false, for: power)
            #expect(await manager.homes.first?.characteristic(power)?.isNotificationEnabled == false)
            await daemon.receive(power, .bool(false))
            try await daemon.write(.renameAccessory(lamp.id, name: "Reading Lamp"))
            #expect(await events.take(1).map(\.change) == [.nameUpdated])
            #expect(await daemon.observed.isEmpty)
        }
    }

    @Test("refuses notifications of values that the accessory doesn't report")
    func notSupported() async throws {
        try await withLamp { daemon, manager, lamp, power in
            let name = try #require(
                lamp.services.flatMap(\.characteristics).first { !$0.metadata.permissions.contains(.notify) })
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.enableNotification(true, for: name.id)
                } == .notificationNotSupported)
            await #expect(throws: HomeError.self) { for try await _ in manager.values(of: name.id) {} }
            let results = try await manager.enableNotification(true, for: [power, name.id])
            #expect((try? results[power]?.get()) != nil && (try? results[name.id]?.get()) == nil)
        }
    }

    @Test("observes an iterated value until its last iteration ends")
    func iterations() async throws {
        try await withLamp { daemon, manager, _, power in
            let first = Task { () async throws in
                var iterator = manager.values(of: power).makeAsyncIterator()
                return [try await iterator.next()?.value, try await iterator.next()?.value]
            }
            let second = Task { () async throws in
                for try await value in manager.values(of: power) where value.value == .bool(false) { return }
            }
            try await eventually { await manager.observations.readerCount(of: power) == 2 }
            try await eventually { await daemon.observed == [power] }
            await daemon.receive(power, .bool(true))
            await daemon.receive(power, .bool(false))
            let received = try await first.value
            #expect(received == [.bool(true), .bool(false)])
            try await second.value
            try await eventually { await daemon.observed.isEmpty }
            try await eventually { await manager.homes.first?.characteristic(power)?.isNotificationEnabled == false }
        }
    }

    @Test("resumes observations when an accessory returns")
    func reachability() async throws {
        try await withLamp { daemon, manager, lamp, power in
            try await manager.enableNotification(true, for: power)
            let events = manager.events(of: lamp.id)
            let isEnabled = { await manager.homes.first?.characteristic(power)?.isNotificationEnabled }
            await daemon.reach(lamp.id, false)
            #expect(await events.take(1).map(\.accessory.isReachable) == [false])
            #expect(await isEnabled() == false)
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.enableNotification(true, for: power)
                } == .accessoryNotReachable)
            await daemon.reach(lamp.id, true)
            #expect(await events.take(1).map(\.accessory.isReachable) == [true])
            try await eventually { await isEnabled() == true }
            await daemon.receive(power, .bool(true))
            #expect(await events.take(1).map(\.change.name) == ["valueUpdated"])
        }
    }

    @Test("ends the iteration when the accessory is removed")
    func removed() async throws {
        try await withLamp { daemon, manager, lamp, power in
            let iteration = Task { () async throws in for try await _ in manager.values(of: power) {} }
            try await eventually { await daemon.observed == [power] }
            try await daemon.write(.removeAccessory(lamp.home, lamp.id))
            try await iteration.value
            #expect(await manager.observations.reconciler.desired.isEmpty)
        }
    }

    @Test("fails the iteration of a value that the accessory refuses to report")
    func silent() async throws {
        try await withLamp { daemon, manager, _, power in
            await daemon.configure { $0.silent = [power] }
            await #expect(throws: HomeError(.notificationNotSupported)) {
                for try await _ in manager.values(of: power) {}
            }
            try await eventually { await manager.observations.reconciler.desired.isEmpty }
        }
    }

    @Test("begins an iteration with the current value and marks own writes")
    func stateFirst() async throws {
        try await withLamp { daemon, manager, _, power in
            await daemon.receive(power, .bool(true))
            _ = try await manager.readValue(of: power)
            var iterator = manager.values(of: power).makeAsyncIterator()
            let held = try await iterator.next()
            #expect(held?.value == .bool(true) && held?.origin == .present)
            try await manager.writeValue(.bool(false), to: power)
            let own = try await iterator.next()
            #expect(own?.value == .bool(false) && own?.origin == .own)
            #expect(await manager.homes.first?.characteristic(power)?.valueTime == own?.time)
            // A write of the same value isn't a change.
            try await manager.writeValue(.bool(false), to: power)
            await daemon.receive(power, .bool(true))
            let reported = try await iterator.next()
            #expect(reported?.value == .bool(true) && reported?.origin == .reported)
            var second = manager.values(of: power).makeAsyncIterator()
            #expect(try await second.next()?.origin == .present)
        }
    }

    @Test("continues an iteration with changes made while the connection was lost")
    func afterReconnect() async throws {
        try await withLamp { daemon, manager, _, power in
            await daemon.receive(power, .bool(true))
            _ = try await manager.readValue(of: power)
            var iterator = manager.values(of: power).makeAsyncIterator()
            #expect(try await iterator.next()?.value == .bool(true))
            try await eventually { await daemon.observed == [power] }
            for value in [false, false, true] {
                await daemon.hangUp()
                try await eventually { await daemon.sessionCount == 0 }
                await daemon.receive(power, .bool(value))
                try await eventually { await daemon.observed == [power] }
            }
            let first = try await iterator.next()
            #expect(first?.value == .bool(false) && first?.origin == .present)
            let second = try await iterator.next()
            #expect(second?.value == .bool(true) && second?.origin == .present)
        }
    }

    @Test("sends events for changes made while the connection was lost")
    func missedEvents() async throws {
        try await withLamp { daemon, manager, lamp, power in
            try await manager.enableNotification(true, for: power)
            try await manager.writeValue(.bool(true), to: power)
            let events = manager.events(of: lamp.id)
            for isOn in [true, false] {
                await daemon.hangUp()
                try await eventually { await daemon.sessionCount == 0 }
                await daemon.receive(power, .bool(isOn))
                try await eventually { await daemon.observed == [power] }
            }
            // The app's own value causes no event.
            let received = await events.take(3)
            #expect(received.map(\.change.name) == ["homesUpdated", "homesUpdated", "valueUpdated"])
            #expect(received.last?.accessory.characteristic(power)?.value == .bool(false))
        }
    }

    @Test("sends events for the values of a returning accessory")
    func eventsOfReturn() async throws {
        try await withLamp { daemon, manager, lamp, power in
            await daemon.reach(lamp.id, false)
            let observation = await manager.observe(.everything)
            let events = manager.events(of: lamp.id)
            #expect(await daemon.observed.isEmpty)
            await daemon.configure {
                $0.reach(lamp.id, true)
                $0.receive(power, .bool(true))
            }
            #expect(await events.take(2).map(\.change.name) == ["reachabilityUpdated", "valueUpdated"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test("writes typed values, and names a characteristic that a service lacks")
    func typed() async throws {
        try await withLamp { _, manager, lamp, _ in
            let service = try #require(lamp.lightbulb).service
            let isOn = try await manager.write(true, to: .on, of: service)
            #expect(isOn)
            #expect(await manager.homes.first?.accessories.first?.lightbulb?.isOn == true)
            let error = await #expect(throws: HomeError.self) {
                try await manager.write(.secured, to: .lockTargetState, of: service)
            }
            #expect(error?.code == .notFound && error?.message.contains("lock target state") == true)
        }
    }

    @Test("delivers every press of a button")
    func presses() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            guard let home = await daemon.graph.homes.first else { throw TestFailure("no home") }
            _ = try await daemon.add(TestDevices.id(1), [TestDevices.button()], to: home.id)
        } _: { daemon, manager in
            let button = try #require(await manager.homes.first?.accessories.first)
            let press = try #require(
                button.services.flatMap(\.characteristics).first { $0.type == .programmableSwitchEvent }
            ).id
            await daemon.receive(press, .integer(1))
            let presses = Task { () async throws in
                var iterator = manager.values(of: press).makeAsyncIterator()
                return [try await iterator.next(), try await iterator.next()]
            }
            try await eventually { await daemon.observed == [press] }
            await daemon.receive(press, .integer(0))
            await daemon.receive(press, .integer(0))
            let received = try await presses.value
            #expect(received.map { $0?.value } == [.integer(0), .integer(0)])
            #expect(received.map { $0?.origin } == [.reported, .reported])
        }
    }

    @Test("returns a result for each action of a scene")
    func scene() async throws {
        try await withHome { daemon in
            let home = try await daemon.addHomeAndLamp().home
            _ = try await daemon.add(TestDevices.id(2), [TestDevices.lamp()], to: home.id)
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let powers = try home.accessories.map { try $0.power }
            let evening = try await manager.addActionSet(named: "Evening", to: home.id)
            _ = try await manager.setActions(
                powers.map { CharacteristicWriteAction(characteristic: $0, targetValue: .bool(true)) }, of: evening.id)
            var values = manager.values(of: powers[0]).makeAsyncIterator()
            let whole = try await manager.executeActionSet(evening.id)
            #expect(whole.error == nil && whole.results[powers[1]] == .success(.bool(true)))
            #expect(try await values.next()?.value == .bool(true))
            await daemon.configure { $0.failing = [powers[1]] }
            let run = try await manager.executeActionSet(evening.id)
            #expect(run.error?.code == .actionSetExecutionPartialSuccess)
            #expect(run.error?.message.contains(home.accessories[1].name) == true)
            #expect(run.results[powers[0]] == .success(.bool(true)))
            #expect(run.results[powers[1]] == .failure(HomeError(.accessoryNotReachable)))
            await daemon.configure { $0.failing = Set(powers) }
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.executeActionSet(evening.id)
                } == .actionSetExecutionFailed)
        }
    }
}
