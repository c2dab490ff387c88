import HAPModel
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

/// Several apps, a daemon and devices act in random order.
///
/// After each pause, every reader must have the daemon's state.
@Suite("The state that apps show", .timeout)
struct AgreementTests {
    /// The last values and homes that an app's streams yielded.
    private actor Screen {
        private(set) var values: [Characteristic.ID: CharacteristicValue] = [:]
        private(set) var snapshot: HomeSnapshot?

        func show(_ value: CharacteristicValue, of id: Characteristic.ID) { values[id] = value }
        func show(_ snapshot: HomeSnapshot) { self.snapshot = snapshot }
    }

    private struct App {
        let manager: HomeManager
        let screen = Screen()

        /// Shows values and homes until the task is canceled.
        func run(showing ids: [Characteristic.ID]) async {
            await withDiscardingTaskGroup { group in
                for id in ids {
                    group.addTask {
                        do {
                            for try await value in manager.values(of: id) { await screen.show(value.value, of: id) }
                            if !Task.isCancelled { Issue.record("the values of \(id) ended") }
                        } catch {
                            if !Task.isCancelled { Issue.record(error) }
                        }
                    }
                }
                group.addTask {
                    for await snapshot in manager.snapshots(observing: .everything) { await screen.show(snapshot) }
                }
            }
        }
    }

    @Test("agrees with the daemon after each pause in a hundred random steps", arguments: 0..<12)
    func agreement(seed: UInt64) async throws {
        let daemon = FakeDaemon(notificationLimit: 6)
        let home = try await daemon.addHomeAndLamp().home
        for number in 2...4 { _ = try await daemon.add(TestDevices.id(number), [TestDevices.lamp()], to: home.id) }
        let lamps = await daemon.graph.homes[0].accessories
        let powers = try lamps.map { try $0.power }
        await daemon.receive(powers.map { ($0, .bool(false)) })
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                try await running(at: path) { first in
                    try await running(at: path) { second in
                        try await running(at: path) { third in
                            var random = SeededNumbers(seed: seed)
                            let apps = [first, second, third].map { App(manager: $0) }
                            try await withThrowingTaskGroup(of: Void.self) { group in
                                for app in apps {
                                    try await app.manager.waitUntilLoaded()
                                    group.addTask { await app.run(showing: powers) }
                                }
                                for _ in 0..<10 {
                                    for _ in 0..<10 { try await step(daemon, apps, lamps, powers, &random) }
                                    for lamp in lamps { await daemon.reach(lamp.id, true) }
                                    try await agree(apps, daemon, powers)
                                }
                                group.cancelAll()
                            }
                        }
                    }
                }
            }
        }
    }

    private func step(
        _ daemon: FakeDaemon, _ apps: [App], _ lamps: [Accessory], _ powers: [Characteristic.ID],
        _ random: inout SeededNumbers
    ) async throws {
        let app = apps.randomElement(using: &random) ?? apps[0]
        let power = powers.randomElement(using: &random) ?? powers[0]
        let lamp = lamps.randomElement(using: &random) ?? lamps[0]
        let isOn = CharacteristicValue.bool(.random(using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: await daemon.receive(power, isOn)
        case 2, 3: _ = try? await app.manager.writeValue(isOn, to: power)
        case 4: _ = try? await app.manager.readValue(of: power)
        // These are more values at once than the daemon queues for a session.
        case 5: await daemon.receive((0..<20).map { _ in (powers.randomElement(using: &random) ?? power, isOn) })
        case 6: await daemon.reach(lamp.id, .random(using: &random))
        case 7: await daemon.hangUp()
        case 8:
            _ = try? await app.manager.renameAccessory(lamp.id, to: "Lamp \(Int.random(in: 0..<1000, using: &random))")
        default:
            // An answer that is lost with the connection may have had an effect.
            async let written = app.manager.writeValue(isOn, to: power)
            await daemon.hangUp()
            _ = try? await written
        }
    }

    private func agree(_ apps: [App], _ daemon: FakeDaemon, _ powers: [Characteristic.ID]) async throws {
        for (number, app) in apps.enumerated() {
            try await eventually("app \(number) shows the daemon's state") {
                let graph = await daemon.graph
                let shown = await app.screen.values
                guard let snapshot = await app.screen.snapshot, snapshot.isCurrent else { return false }
                return powers.allSatisfy { id in
                    let value = graph.characteristic(id)?.value
                    return shown[id] == value && snapshot.characteristic(id)?.value == value
                } && snapshot.homes.flatMap(\.accessories).map(\.name) == graph.homes.flatMap(\.accessories).map(\.name)
            }
        }
    }
}
