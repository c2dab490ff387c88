import BoundedJSON
import BridgeControl
import Glibc
import LineRPC
import Logging
import Synchronization
import TerminalKit
import TestTimeouts
import Testing

@Suite("Command and daemon over a socket", .timeout)
struct ServerTests {
    @Test("every command arrives with its parameters, and its answer comes back")
    func commands() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { client in
            let status = try await client.status()
            let diagnostics = try await client.diagnostics()
            let setup = try await client.setup(force: true)
            let keys = try await client.lights().map(\.key)
            #expect(status == example)
            #expect(diagnostics.wantedName == "Lamplighter EEFF")
            #expect(setup.paired)
            #expect(keys == ["a/b"])
            try await client.setLight("a/b", LightChange(on: true, hue: 20))
            try await client.simulate("a/b", LightChange(reachable: false))
            let found = try await client.discoverLights()
            #expect(found.problems == ["no mDNS"])
            try await client.forgetLight("a/b")
            let forgotten = try await client.purgeLights()
            #expect(forgotten == [ForgottenLight(key: "a/c", name: "C")])
            let pairings = try await client.pairings()
            #expect(pairings == [PairingListing(id: "x", admin: true, connected: false)])
            try await client.removePairing("x")
            try await client.removeAllPairings()
            try await client.unlockPairing()
            let reloaded = try await client.reload()
            #expect(reloaded == FakeBridge.reloaded)
            try await client.reset()
        }
        #expect(
            bridge.calls == [
                "status", "setup true", "lights", #"set a/b {"on":true,"hue":20}"#,
                #"simulate a/b {"reachable":false}"#, "discover", "forget a/b", "purge", "pairings", "remove x",
                "remove all",
                "unlock", "reload", "reset",
            ])
    }

    @Test("a file travels whole, however many parts it takes", arguments: [0, 1, 262_144, 262_145, 600_000])
    func files(size: Int) async throws {
        let bridge = FakeBridge(memory: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try await withServer(bridge) { client in
            let saved = try await client.backup()
            #expect(saved == bridge.memory)
            let listing = try await client.restore(saved.reversed())
            #expect(listing == RestoreListing(deviceID: "AA", pairings: 1, lights: size))
            #expect(bridge.restored == saved.reversed())
        }
    }

    @Test("a second file over the same connection has nothing of the first")
    func secondFile() async throws {
        let bridge = FakeBridge(memory: [1, 2, 3])
        try await withServer(bridge) { client in
            try await BridgeControlClient.connect(to: SocketLocation(chosen: client.path)) { bridge in
                for _ in 0..<2 {
                    let backup = try await bridge.backup()
                    #expect(backup == [1, 2, 3])
                }
                _ = try await bridge.restore([4, 5])
            }
        }
        #expect(bridge.restored == [4, 5])
    }

    @Test("a file that is too large is refused before any of it is asked for")
    func tooLarge() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { client in
            let error = await #expect(throws: BridgeControlError.self) {
                try await client.restore([UInt8](repeating: 0, count: FileTransfer.maximumFileSize + 1))
            }
            #expect(error?.code == 65)
            #expect(bridge.restored == nil)
        }
    }

    @Test("the bridge's refusal reaches the operator with its exit code and words")
    func refusal() async throws {
        try await withServer(FakeBridge()) { client in
            await #expect(throws: BridgeControlError(code: 69, message: "the bridge is paired; use --force")) {
                try await client.setup(force: false)
            }
            await #expect(throws: BridgeControlError(code: 70, message: "lamplighterd says: internal error")) {
                try await client.removePairing("broken")
            }
            let unchanged = BridgeControlError(
                code: 64, message: "nothing to change", remedy: "write for example on=true")
            await #expect(throws: unchanged) { try await client.setLight("a/b", LightChange()) }
        }
    }

    @Test("what is wrong and what to do travel apart, and as one sentence to who knows nothing of that")
    func halves() async throws {
        try await withServer(FakeBridge()) { client in
            try await LineRPCClient.connect(to: client.path) { peer in
                let expected = RPCFailure(
                    code: 64, message: "nothing to change; write for example on=true",
                    data: ["problem": "nothing to change", "remedy": "write for example on=true"])
                await #expect(throws: expected) {
                    try await peer.call("lights.set", ["key": "a/b", "change": [:]], deadline: nil)
                }
            }
        }
        for data: JSONValue? in [nil, 5, ["problem": "p"], ["problem": "p", "remedy": 5]] {
            let error = BridgeControlError(RPCFailure(code: 69, message: "p; r", data: data))
            #expect(error == BridgeControlError(code: 69, message: "p; r"))
        }
    }

    @Test("the setup code of a paired bridge is shown only to who insists, and not to who says nothing of it")
    func unforced() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { client in
            try await LineRPCClient.connect(to: client.path) { peer in
                for params: JSONValue in [[:], ["force": .null], ["force": false]] {
                    await #expect(throws: RPCFailure(code: 69, message: "the bridge is paired; use --force")) {
                        try await peer.call("setup", params, deadline: nil)
                    }
                }
                await #expect(throws: RPCFailure.self) { try await peer.call("setup", ["force": 1], deadline: nil) }
            }
        }
        #expect(bridge.calls == Array(repeating: "setup false", count: 3))
    }

    @Test("who is shown the setup code or takes a backup is logged, and nothing of either; a refusal is not")
    func disclosures() async throws {
        let log = RecordedLog()
        let bridge = FakeBridge(memory: [1, 2, 3])
        try await withServer(bridge, logger: Logger(label: "test") { _ in log }) { client in
            _ = try? await client.setup(force: false)
            #expect(log.lines.isEmpty)
            _ = try await client.setup(force: true)
            _ = try await client.backup()
            _ = try await client.status()
        }
        let asker = "pid=\(getpid()) uid=\(getuid())"
        #expect(log.lines == ["notice setup code shown \(asker)", "notice backup taken \(asker)"])
    }

    @Test("what cannot be set is refused before the bridge is notified of it, whoever sends it")
    func invalid() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { client in
            for change in [LightChange(reachable: true), LightChange(brightness: 101), LightChange(on: true, hue: 361)]
            {
                let error = await #expect(throws: BridgeControlError.self) { try await client.setLight("a/b", change) }
                #expect(error?.code == 64)
            }
            let error = await #expect(throws: BridgeControlError.self) {
                try await client.simulate("a/b", LightChange(temperature: -271))
            }
            #expect(error?.code == 64)
        }
        #expect(bridge.calls.isEmpty)
    }

    @Test("a file that is shorter or longer than was told is taken by neither side")
    func wrongSizes() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { client in
            for part: JSONValue in ["", "AAAAAAAA", "?"] {
                try await LineRPCClient.connect(to: client.path, handler: Deputy { _, _ in ["data": part] }) { peer in
                    let failure = await #expect(throws: RPCFailure.self) {
                        try await peer.call("restore", ["size": 5], deadline: nil)
                    }
                    #expect(failure?.code == 76)
                }
            }
        }
        #expect(bridge.restored == nil)
        for size in [3, 5] {
            try await withDaemon { _, peer in
                _ = try await peer.call("part.write", ["data": "AAAAAA=="])
                return ["size": .integer(Int64(size))]
            } _: { client in
                let error = await #expect(throws: BridgeControlError.self) { try await client.backup() }
                #expect(error?.code == 76)
            }
        }
    }

    @Test("a watch whose connection breaks fails, and does not pass for the bridge's end")
    func brokenWatch() async throws {
        try await withDaemon { _, peer in
            try peer.notify("watch.started")
            await peer.drained()
            peer.close()
            return [:]
        } _: { client in
            let error = await #expect(throws: BridgeControlError.self) {
                try await client.watch(onWatching: {}) { _ in }
            }
            #expect(error?.description == "lamplighterd closed the connection at \(client.path); see its log")
            #expect(error?.code == 69)
        }
    }

    @Test("a daemon that does not know a command is of another version")
    func versions() async throws {
        try await withDaemon { method, _ in
            throw RPCFailure.methodNotFound(method)
        } _: { client in
            let expected = BridgeControlError(
                code: 69, message: "there is no method \"status\"",
                remedy: "lamplighter and lamplighterd are of different versions")
            await #expect(throws: expected) { try await client.status() }
        }
    }

    @Test("events come as they happen, and the end of the bridge ends the watch")
    func watch() async throws {
        let bridge = FakeBridge()
        let seen = Seen()
        try await withServer(bridge) { client in
            try await client.watch(onWatching: { bridge.emit(3) }) { event in seen.append(event.key) }
        }
        #expect(seen.keys == ["k0", "k1", "k2"])
    }

    @Test("a daemon that is not there is named with what to do")
    func unreachable() async throws {
        var expected = BridgeControlError(
            code: 69, message: "lamplighterd is not reachable at /nowhere/s (No such file or directory)",
            remedy: "start it, or name its control socket with --control")
        expected.isDaemonAway = true
        await #expect(throws: expected) {
            try await BridgeControlClient.connect(to: SocketLocation(chosen: "/nowhere/s")) {
                _ = try await $0.status()
            }
        }
    }

    /// Runs a daemon that does as the test says, and a client for it.
    private func withDaemon(
        _ answer: @escaping @Sendable (String, LineRPCPeer) async throws -> JSONValue,
        _ body: @Sendable (BridgeControlTestClient) async throws -> Void
    ) async throws {
        try await serving(body) { path in
            let server = LineRPCServer(
                path: path, handler: Deputy(answer: answer),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            return { onListening in try await server.run(onListening: onListening) }
        }
    }

    /// Runs a server and a client for it; the client's refusals arrive as the command would see them.
    private func withServer(
        _ bridge: FakeBridge, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: @Sendable (BridgeControlTestClient) async throws -> Void
    ) async throws {
        try await serving(body) { path in
            let server = BridgeControlServer(path: path, group: nil, handler: bridge, logger: logger)
            return { onListening in try await server.run(onListening: onListening) }
        }
    }

    private func serving(
        _ body: @Sendable (BridgeControlTestClient) async throws -> Void,
        by server:
            @escaping @Sendable (_ path: String) -> @Sendable (@escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        try await withUnixSocket { path, onListening in
            try await server(path)(onListening)
        } _: { path in
            try await body(BridgeControlTestClient(path: path))
        }
    }
}

/// Runs a server at a socket of its own while the body runs.
func withUnixSocket(
    _ server: @escaping @Sendable (_ path: String, _ onListening: @escaping @Sendable () -> Void) async throws -> Void,
    _ body: @Sendable (_ path: String) async throws -> Void
) async throws {
    let folder = "/tmp/bridge-control-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    try #require(mkdir(folder, 0o700) == 0)
    defer { rmdir(folder) }
    let path = folder + "/s"
    let (listening, sink) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { sink.finish() }
            try await server(path) { sink.yield() }
        }
        _ = await listening.first { true }
        try await body(path)
        group.cancelAll()
        try? await group.waitForAll()
    }
}

/// Connects anew for each command, as the operator's command does.
struct BridgeControlTestClient: Sendable {
    let path: String

    func status() async throws -> BridgeStatus { try await ask { try await $0.status() } }
    func diagnostics() async throws -> BridgeDiagnostics { try await ask { try await $0.diagnostics() } }
    func setup(force: Bool) async throws -> SetupListing { try await ask { try await $0.setup(force: force) } }
    func lights() async throws -> [LightListing] { try await ask { try await $0.lights() } }
    func setLight(_ key: String, _ change: LightChange) async throws {
        try await ask { try await $0.setLight(key, change) }
    }
    func simulate(_ key: String, _ change: LightChange) async throws {
        try await ask { try await $0.simulate(key, change) }
    }
    func forgetLight(_ key: String) async throws { try await ask { try await $0.forgetLight(key) } }
    func discoverLights() async throws -> FoundLights { try await ask { try await $0.discoverLights() } }
    func purgeLights() async throws -> [ForgottenLight] { try await ask { try await $0.purgeLights() } }
    func pairings() async throws -> [PairingListing] { try await ask { try await $0.pairings() } }
    func removePairing(_ id: String) async throws { try await ask { try await $0.removePairing(id) } }
    func removeAllPairings() async throws { try await ask { try await $0.removeAllPairings() } }
    func unlockPairing() async throws { try await ask { try await $0.unlockPairing() } }
    func reload() async throws -> ReloadListing { try await ask { try await $0.reload() } }
    func reset() async throws { try await ask { try await $0.reset() } }
    func backup() async throws -> [UInt8] { try await ask { try await $0.backup() } }
    func restore(_ backup: [UInt8]) async throws -> RestoreListing { try await ask { try await $0.restore(backup) } }
    func watch(
        onWatching: @escaping @Sendable () -> Void, _ body: @escaping @Sendable (LightEvent) async throws -> Void
    ) async throws {
        try await ask { try await $0.watch(onWatching: onWatching, body) }
    }

    private func ask<Result: Sendable>(
        _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        try await BridgeControlClient.connect(to: SocketLocation(chosen: path), body)
    }
}

/// Answers in place of one of the two ends.
private struct Deputy: LineRPCHandler {
    let answer: @Sendable (String, LineRPCPeer) async throws -> JSONValue

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        try await answer(method, peer)
    }
}

final class Seen: Sendable {
    private let state = Mutex<[String]>([])
    var keys: [String] { state.withLock { $0 } }
    func append(_ key: String) { state.withLock { $0.append(key) } }
}

/// A log that is looked at: level, message and metadata of each event.
struct RecordedLog: LogHandler {
    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let recorded = Lines()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    var lines: [String] { recorded.lines.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        recorded.lines.withLock { $0.append("\(event.level) \(event.message)\(fields.joined())") }
    }
}

final class FakeBridge: BridgeControlHandler {
    private struct Broken: Error {}

    private let state = Mutex<[String]>([])
    private let (events, sink) = AsyncStream.makeStream(of: LightEvent.self)

    private let taken = Mutex<[UInt8]?>(nil)
    let memory: [UInt8]
    static let reloaded = ReloadListing(drivers: .init(added: ["a"]), lights: ["b/c"], needsRestart: ["bridge.port"])

    init(memory: [UInt8] = []) { self.memory = memory }

    var calls: [String] { state.withLock { $0 } }
    var restored: [UInt8]? { taken.withLock { $0 } }

    private func note(_ call: String) { state.withLock { $0.append(call) } }

    func emit(_ count: Int) {
        for number in 0..<count {
            sink.yield(LightEvent(time: "t", key: "k\(number)", changes: LightChange(on: true), origin: "device"))
        }
        sink.finish()
    }

    func status() async throws -> BridgeStatus {
        note("status")
        return example
    }

    func diagnostics() async throws -> BridgeDiagnostics {
        BridgeDiagnostics(
            version: Version.current, process: 1, isToBeAdvertised: true, wantedName: "Lamplighter EEFF",
            interfaces: [], txt: [:], pairings: 1, refusedSetups: 0, failedAttempts: 0, attemptsAllowed: 100,
            clockStep: 0,
            storage: .init(directory: "/var/lib/lamplighter", freeBytes: 1 << 30))
    }

    func setup(force: Bool) async throws -> SetupListing {
        note("setup \(force)")
        guard force else { throw BridgeControlError.unavailable("the bridge is paired; use --force") }
        return SetupListing(code: "031-45-154", payload: "X-HM://0023ISYWY1QJ8", paired: true)
    }

    func lights() async throws -> [LightListing] {
        note("lights")
        return [
            LightListing(
                key: "a/b", name: "B", kind: "light", aid: 2, driver: "a", reachable: true,
                state: LightChange(on: true))
        ]
    }

    func setLight(_ key: String, _ change: LightChange) async throws { note("set \(key) \(change.json.text)") }
    func discoverLights() async throws -> FoundLights {
        note("discover")
        return FoundLights(found: [], entries: [], problems: ["no mDNS"])
    }
    func forgetLight(_ key: String) async throws { note("forget \(key)") }
    func purgeLights() async throws -> [ForgottenLight] {
        note("purge")
        return [ForgottenLight(key: "a/c", name: "C")]
    }
    func simulate(_ key: String, _ change: LightChange) async throws { note("simulate \(key) \(change.json.text)") }

    func pairings() async throws -> [PairingListing] {
        note("pairings")
        return [PairingListing(id: "x", admin: true, connected: false)]
    }

    func removePairing(_ id: String) async throws {
        note("remove \(id)")
        if id == "broken" { throw Broken() }
    }

    func removeAllPairings() async throws { note("remove all") }
    func unlockPairing() async throws { note("unlock") }
    func reset() async throws { note("reset") }
    func backup() async throws -> [UInt8] { memory }

    func reload() async throws -> ReloadListing {
        note("reload")
        return Self.reloaded
    }

    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing {
        let backup = try await receive()
        taken.withLock { $0 = backup }
        return RestoreListing(deviceID: "AA", pairings: 1, lights: backup.count)
    }

    func watch() async throws -> AsyncStream<LightEvent> { events }
}
