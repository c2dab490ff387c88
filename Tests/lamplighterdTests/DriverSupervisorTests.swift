import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPTesting
import Logging
import Synchronization
import TestTimeouts
import Testing
import YAMLKit

@testable import lamplighterd

/// The configuration of a driver that records which instances are running.
private struct Watched: LightDriverConfiguration {
    static let driverName = "watched"

    enum Behaviour: String, Decodable { case runs, returns, fails, hangs }

    var run: Behaviour?
    var level: Int?

    enum CodingKeys: String, CodingKey, CaseIterable { case run, level }

    func makeDriver(logger: Logger) -> any LightDriver { WatchedDriver(run ?? .runs) }
}

private final class WatchedDriver: LightDriver {
    /// The numbers of the running drivers.
    static let running = Mutex<Set<Int>>([])
    private static let last = Mutex(0)
    /// A Boolean value that makes hanging drivers end.
    static let release = Mutex(false)
    private let behaviour: Watched.Behaviour
    private let number: Int

    init(_ behaviour: Watched.Behaviour) {
        self.behaviour = behaviour
        number = Self.last.withLock { last in
            last += 1
            return last
        }
    }

    func run(host: any LightHost) async throws {
        await host.added(LightDescription(id: "l", name: "L"))
        await host.report(LightReport(on: true, reachable: true), from: "l")
        await host.report(DriverState.running)
        Self.running.withLock { _ = $0.insert(number) }
        defer { Self.running.withLock { _ = $0.remove(number) } }
        switch behaviour {
        case .runs: try await Task.sleep(for: .seconds(3600))
        case .returns: return
        case .fails: throw LightError.refused("the radio is gone")
        case .hangs:
            while !Self.release.withLock(\.self) {
                await withCheckedContinuation { continuation in
                    Task.detached {
                        try? await Task.sleep(for: .milliseconds(5))
                        continuation.resume()
                    }
                }
            }
        }
    }

    func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {}
    func identify(_ light: LightID) async throws(LightError) {}
}

@Suite("DriverSupervisor", .timeout, .serialized)
struct DriverSupervisorTests {
    private func entries(_ text: String) throws -> [DriverEntry] {
        let drivers: [any LightDriverConfiguration.Type] = [Watched.self]
        return try StrictYAML.decode(
            BridgeConfiguration.self, from: Array("drivers: [\(text)]".utf8), file: "f",
            userInfo: [.lightDrivers: drivers]
        ).drivers
    }

    private func with(_ body: (DriverSupervisor, BridgeUnderTest) async throws -> Void) async throws {
        let bridge = try await BridgeUnderTest(InMemoryAccessoryServerStore())
        let supervisor = DriverSupervisor(lights: bridge.lights, logger: silent)
        try await body(supervisor, bridge)
        WatchedDriver.release.withLock { $0 = true }
        await supervisor.use([])
        try await eventually("all have ended") { WatchedDriver.running.withLock(\.isEmpty) }
        WatchedDriver.release.withLock { $0 = false }
    }

    private func isInReach(_ driver: String, _ bridge: BridgeUnderTest) async -> Bool {
        await bridge.lights.snapshots().contains { $0.key.driver == driver && $0.isReachable }
    }

    private func hasFailed(_ driver: String, _ bridge: BridgeUnderTest) async -> Bool {
        await bridge.lights.driverStatistics().contains {
            if case .degraded = $0.state { $0.id == driver } else { false }
        }
    }

    private var running: Set<Int> { WatchedDriver.running.withLock(\.self) }

    @Test("keeps unchanged drivers, replaces changed drivers, and marks the lights of removed drivers as unreachable")
    func changes() async throws {
        try await with { supervisor, bridge in
            let first = try entries("{driver: watched, id: a}, {driver: watched, id: b}")
            #expect(await supervisor.use(first) == .init(added: ["a", "b"]))
            try await eventually("both run") { running.count == 2 }
            let before = running
            #expect(await supervisor.use(first) == .init())
            #expect(running == before)

            let second = try entries("{driver: watched, id: a, level: 1}, {driver: watched, id: c}")
            #expect(await supervisor.use(second) == .init(added: ["c"], changed: ["a"], removed: ["b"]))
            try await eventually("the new ones run, and no other") {
                running.count == 2 && running.isDisjoint(with: before)
            }
            #expect(await !isInReach("b", bridge))
            try await eventually("lights of the others are reachable") {
                let (a, c) = (await isInReach("a", bridge), await isInReach("c", bridge))
                return a && c
            }
        }
    }

    @Test("restarts a driver on request even if its configuration hasn't changed")
    func restarted() async throws {
        try await with { supervisor, _ in
            let entries = try entries("{driver: watched, id: a}, {driver: watched, id: b}")
            await supervisor.use(entries)
            try await eventually("both run") { running.count == 2 }
            let before = running
            #expect(await supervisor.use(entries, restarting: ["a"]) == .init(changed: ["a"]))
            try await eventually("both run again") { running.count == 2 }
            #expect(running.intersection(before).count == 1)
        }
    }

    @Test("restarts an ended driver at the next reload")
    func startedAgain() async throws {
        try await with { supervisor, bridge in
            let entries = try entries("{driver: watched, id: a, run: fails}, {driver: watched, id: b}")
            await supervisor.use(entries)
            try await eventually("it has ended") { await hasFailed("a", bridge) }
            #expect(await supervisor.use(entries) == .init(changed: ["a"]))
            try await eventually("it has ended again") { await hasFailed("a", bridge) }
            #expect(await supervisor.use(entries) == .init(changed: ["a"]))
        }
    }

    @Test(
        "marks the lights of a driver that ends as unreachable, and reports the reason",
        arguments: ["returns", "fails"])
    func ended(how: String) async throws {
        try await with { supervisor, bridge in
            await supervisor.use(try entries("{driver: watched, id: a, run: \(how)}, {driver: watched, id: b}"))
            try await eventually("its light is unreachable, the other one's is not") {
                let snapshots = await bridge.lights.snapshots()
                return snapshots.map(\.key.driver).sorted() == ["a", "b"]
                    && snapshots.allSatisfy { $0.isReachable == ($0.key.driver == "b") }
            }
            let reason = how == "fails" ? "the radio is gone" : "it ended unexpectedly"
            try await eventually("the reason is reported") {
                await bridge.lights.driverStatistics().contains { $0.id == "a" && $0.state.words.contains(reason) }
            }
        }
    }

    @Test("doesn't wait for a driver that never ends")
    func hangs() async throws {
        try await with { supervisor, _ in
            await supervisor.use(try entries("{driver: watched, id: a, run: hangs}"))
            try await eventually("it runs") { running.count == 1 }
            #expect(await supervisor.use(try entries("{driver: watched, id: b}")).added == ["b"])
            try await eventually("both run") { running.count == 2 }
        }
    }
}
