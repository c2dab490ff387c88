import HAPController
import HAPModel
import HAPProtocol
import HAPTesting
import HomeModel
import Synchronization
import TestTimeouts
import Testing

@testable import HomeHub

/// A lock next to a switch; the lock's current state may send events or not.
private func lockDatabase(currentPermissions: String = #""pr","ev""#, with service: String = "") -> String {
    #"""
    {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]},
    {"iid":20,"type":"45","characteristics":[
    {"iid":21,"type":"1D","format":"uint8","perms":[\#(currentPermissions)],"value":0},
    {"iid":22,"type":"1E","format":"uint8","perms":["pr","pw","ev"],"value":0}]},\#(service)
    {"iid":7,"type":"43","characteristics":[
    {"iid":8,"type":"25","format":"bool","perms":["pr","pw","ev"],"value":false},
    {"iid":12,"type":"73","format":"uint8","perms":["pr","ev"],"value":null}]}]}]}
    """#
}

private let battery = #"""
    {"iid":30,"type":"96","characteristics":[{"iid":31,"type":"79","format":"uint8","perms":["pr","ev"],"value":0}]},
    """#

/// The values of a scripted lock.
private final class Bolt: Sendable {
    private let state = Mutex<(current: Int, target: Int, reads: [[String]])>((0, 0, []))

    /// The IDs of each read.
    var reads: [[String]] { state.withLock(\.reads) }
    func turn() { state.withLock { $0.current = $0.target } }

    func react(to request: HTTPRequest) -> ScriptedAccessory.Reaction? {
        guard request.path == "/characteristics" else { return nil }
        if request.method == .put {
            if String(decoding: request.body, as: UTF8.self).contains(#""value":1"#) {
                state.withLock { $0.target = 1 }
            }
            return nil
        }
        let ids = (request.query ?? "").split(separator: "&").first.map { $0.dropFirst(3).split(separator: ",") } ?? []
        let (current, target) = state.withLock { state in
            state.reads.append(ids.map(String.init))
            return (state.current, state.target)
        }
        let values = ["1.21": "\(current)", "1.22": "\(target)", "1.8": "false", "1.12": "null", "1.31": "0"]
        let entries = ids.compactMap { id in
            values[String(id)].map { #"{"aid":1,"iid":\#(id.dropFirst(2)),"value":\#($0)}"# }
        }
        return .answer(.json(#"{"characteristics":[\#(entries.joined(separator: ","))]}"#))
    }
}

@Suite("The hub without observing apps", .timeout)
struct FollowingTests {
    private func lock(_ device: Device, _ app: TestApp) async throws -> (
        current: Characteristic, target: Characteristic
    ) {
        let service = try await device.house.home(app).accessories.first?.services.first { $0.type == .lockMechanism }
        return (
            try #require(service?.characteristic(.lockCurrentState)),
            try #require(service?.characteristic(.lockTargetState))
        )
    }

    @Test("applies reported states, but doesn't send them to apps as events")
    func reported() async throws {
        let device = try Device(database: lockDatabase())
        try await device.whenReachable { a, b in
            try await eventually("a subscription") { device.count(.put) > 0 }
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":21,"value":1}]}"#)
            try await eventually("the reported state") { try await lock(device, a).current.value == .integer(1) }
            try await device.house.drain(b)
            #expect(a.values == [] && b.values == [])
        }
    }

    @Test("subscribes to states once per connection, and not to buttons")
    func subscriptions() async throws {
        let device = try Device(database: lockDatabase())
        try await device.whenReachable { a, b in
            try await eventually("a subscription") { device.count(.put) > 0 }
            #expect(try await a.observe(device.on) == nil)
            #expect(try await b.observe(device.on) == nil)
            #expect(try await a.observe(device.on, false) == nil)
            #expect(try await b.observe(device.on, false) == nil)
            let bodies = device.server.requests.filter { $0.method == .put }.map {
                String(decoding: $0.body, as: UTF8.self)
            }
            #expect(bodies.count == 1 && bodies.allSatisfy { $0.contains(#""iid":21"#) && !$0.contains(#""iid":12"#) })
        }
    }

    @Test("reads a lock that reports nothing until it is locked, and then stops")
    func target() async throws {
        let bolt = Bolt()
        let device = try Device(
            database: lockDatabase(),
            targetPauses: Array(repeating: .milliseconds(20), count: 500), bolt.react)
        try await device.whenReachable { a, _ in
            let target = try await lock(device, a).target.id
            let before = bolt.reads.count
            _ = try await a.writeValues(ValueWrite(characteristic: target, value: .integer(1)))
            try await eventually("some reads") { bolt.reads.count > before + 2 }
            #expect(try await lock(device, a).current.value == .integer(0))
            bolt.turn()
            try await eventually("the lock is locked") { try await lock(device, a).current.value == .integer(1) }
            let count = bolt.reads.count
            try await Task.sleep(for: .milliseconds(100))
            #expect(bolt.reads.count == count)
        }
    }

    @Test("polls states that the accessory can't report, refreshes their times, and polls nothing else")
    func polled() async throws {
        let bolt = Bolt()
        let device = try Device(
            database: lockDatabase(currentPermissions: #""pr""#),
            pollInterval: .milliseconds(20), bolt.react)
        try await device.whenReachable { a, b in
            try await eventually("polls") { bolt.reads.count { $0 == ["1.21"] } > 2 }
            let first = try #require(try await lock(device, a).current.valueTime)
            try await eventually("a newer time") { try await lock(device, a).current.valueTime ?? first > first }
            try await eventually("an app's copy has the newer time") {
                a.notifications.contains {
                    if case .cached(.valueUpdated(_, .integer(0), _)) = $0 { true } else { false }
                }
            }
            #expect(b.values == [])
        }
    }

    @Test("doesn't poll accessories that run on batteries")
    func sleepy() async throws {
        let bolt = Bolt()
        let device = try Device(
            database: lockDatabase(currentPermissions: #""pr""#, with: battery),
            pollInterval: .milliseconds(10), bolt.react)
        try await device.whenReachable { a, _ in
            try await Task.sleep(for: .milliseconds(100))
            #expect(!bolt.reads.contains(["1.21"]))
            let accessory = try #require(try await device.house.home(a).accessories.first)
            let service = try #require(accessory.services.first { $0.type == .lockMechanism })
            #expect(accessory.lastRead(of: service) == (try await lock(device, a).current.valueTime))
        }
    }

    @Test("increases the pauses between reads, restarts after a write, and stops after the last pause")
    func pauses() {
        var generator = SeededNumbers(seed: 1)
        let (a, b) = (Service.ID(using: &generator), Service.ID(using: &generator))
        var reads = TargetReads(pauses: [.seconds(1), .seconds(2)])
        #expect(reads.wrote(to: [a]) == true)
        #expect(reads.nextPause { _ in true } == .seconds(1))
        #expect(reads.beginRead() == [a])
        #expect(reads.nextPause { _ in true } == .seconds(2))
        #expect(reads.wrote(to: [b]) == false)
        #expect(reads.nextPause { _ in true } == .seconds(1))
        #expect(reads.beginRead() == [a, b])
        #expect(reads.nextPause { $0 == b } == .seconds(2))
        #expect(reads.beginRead() == [b])
        #expect(reads.nextPause { _ in true } == nil)
        #expect(reads.wrote(to: [a]) == true)
        #expect(reads.nextPause { _ in false } == nil)
    }
}
