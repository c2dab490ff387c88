import BoundedJSON
import BridgeControl
import Glibc
import LineRPC
import Logging
import Synchronization
import TerminalKit
import TestTimeouts
import Testing

@Suite("BridgeControl over a socket", .timeout)
struct ServerTests {
    @Test("passes every command with its parameters to the bridge, and returns the answer")
    func commands() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { path in
            try await ask(path) { client in
                #expect(try await client.status() == example)
                #expect(try await client.diagnostics().wantedName == "Lamplighter EEFF")
                #expect(try await client.setup(force: true).paired)
                #expect(try await client.lights().map(\.key) == ["a/b"])
                try await client.setLight("a/b", LightChange(on: true, hue: 20))
                try await client.simulate("a/b", LightChange(reachable: false))
                #expect(try await client.discoverLights().problems == ["no mDNS"])
                try await client.forgetLight("a/b")
                try await client.identifyLight("a/b")
                #expect(try await client.purgeLights() == [ForgottenLight(key: "a/c", name: "C")])
                #expect(try await client.pairings() == [PairingListing(id: "x", admin: true, connected: false)])
                try await client.removePairing("x")
                try await client.removeAllPairings()
                try await client.unlockPairing()
                #expect(try await client.reload() == FakeBridge.reloaded)
                try await client.reset()
            }
        }
        #expect(
            bridge.calls == [
                "status", "setup true", "lights", #"set a/b {"on":true,"hue":20}"#,
                #"simulate a/b {"reachable":false}"#, "discover", "forget a/b", "identify a/b", "purge",
                "pairings", "remove x", "remove all", "unlock", "reload", "reset",
            ])
    }

    @Test("lets the web page show the bridge and edit its configuration, and refuses all other requests")
    func page() async throws {
        let bridge = FakeBridge()
        try await withUnixSocket(
            { path, onListening in
                try await BridgeControlServer(pageAt: path, handler: bridge, logger: silent)
                    .run(onListening: onListening)
            },
            { path in
                try await ask(path) { client in
                    #expect(try await client.status() == example)
                    let answer = await #expect(throws: RPCFailure.self) { try await client.setup(force: false) }
                    #expect(answer?.message == "the bridge is paired; use --force")
                    _ = try await client.lights()
                    _ = try await client.discoverLights()
                    #expect(try await client.warnings().records.map(\.times) == [2])
                    #expect(try await client.pairings().map(\.id) == ["x"])
                    let listing = try await client.configuration()
                    #expect(listing.undo == nil)
                    #expect(try await client.undoConfiguration() == FakeBridge.reloaded)
                    _ = try await client.propose(.hideDevice(key: "a/b"))
                    let refused: [@Sendable () async throws -> Void] = [
                        { _ = try await client.setup(force: true) }, { _ = try await client.diagnostics() },
                        { try await client.setLight("a/b", LightChange(on: true)) },
                        { try await client.forgetLight("a/b") }, { try await client.removePairing("x") },
                        { try await client.removeAllPairings() }, { _ = try await client.reload() },
                        { try await client.reset() },
                        { _ = try await client.restore([1]) }, { try await client.watch { _ in } },
                    ]
                    for request in refused {
                        let error = await #expect(throws: RPCFailure.self) { try await request() }
                        #expect(error?.code == 77)
                    }
                }
            })
        #expect(
            bridge.calls.filter { !$0.hasPrefix("propose") } == [
                "status", "setup false", "lights", "discover", "warnings", "pairings", "undo for the page", "reload",
            ])
    }

    @Test(
        "transfers files of any size, and several over one connection",
        arguments: [0, 1, 262_144, 262_145, 600_000])
    func files(size: Int) async throws {
        let bridge = FakeBridge(memory: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try await withServer(bridge) { path in
            try await ask(path) { client in
                for _ in 0..<2 { #expect(try await client.backup() == bridge.memory) }
                let listing = try await client.restore(bridge.memory.reversed())
                #expect(listing == RestoreListing(deviceID: "AA", pairings: 1, lights: size))
                #expect(bridge.restored == bridge.memory.reversed())
                _ = try await client.restore([4, 5])
            }
        }
        #expect(bridge.restored == [4, 5])
    }

    @Test("rejects a file that is too large before requesting any part of it")
    func tooLarge() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { path in
            let error = await #expect(throws: BridgeControlError.self) {
                try await ask(path) {
                    try await $0.restore([UInt8](repeating: 0, count: FileTransfer.maximumFileSize + 1))
                }
            }
            #expect(error?.code == 65)
            #expect(bridge.restored == nil)
        }
    }

    @Test("returns the bridge's error with its exit code and its message")
    func refusal() async throws {
        try await withServer(FakeBridge()) { path in
            await #expect(throws: BridgeControlError(code: 69, message: "the bridge is paired; use --force")) {
                try await ask(path) { try await $0.setup(force: false) }
            }
            await #expect(throws: BridgeControlError(code: 70, message: "lamplighterd reported: internal error")) {
                try await ask(path) { try await $0.removePairing("broken") }
            }
            let unchanged = BridgeControlError(
                code: 64, message: "nothing to change", remedy: "add a change such as on=true")
            await #expect(throws: unchanged) { try await ask(path) { try await $0.setLight("a/b", LightChange()) } }
        }
    }

    @Test("sends problem and remedy separately, and as one sentence for other clients")
    func halves() async throws {
        try await withServer(FakeBridge()) { path in
            try await LineRPCClient.connect(to: path) { peer in
                let expected = RPCFailure(
                    code: 64, message: "nothing to change; add a change such as on=true",
                    data: ["problem": "nothing to change", "remedy": "add a change such as on=true"])
                await #expect(throws: expected) {
                    try await peer.call("lights.set", ["key": "a/b", "change": [:]], deadline: nil)
                }
            }
        }
        for data: JSONValue? in [nil, 5, ["problem": "p"], ["problem": "p", "remedy": 5]] {
            let error = BridgeControlError(RPCFailure(code: 69, message: "p; r", data: data), from: .bridge)
            #expect(error == BridgeControlError(code: 69, message: "p; r"))
        }
    }

    @Test("transmits changes of the configuration, and hides their values in descriptions")
    func configuration() async throws {
        let bridge = FakeBridge()
        let changes: [ConfigurationChange] = [
            .addDriver(driver: "mqtt", id: nil, values: ["password-file": "hunter2", "url": "h"]),
            .addFound(entry: .init(id: "x", keys: ["hosts": ["h"]]), values: [:]),
            .changeDriver(id: "x", values: ["p": "q"]), .removeDriver(id: "x"),
            .renameDevice(key: "a/b", name: "Desk"), .renameDevice(key: "a/b", name: nil), .hideDevice(key: "a/b"),
            .showDevice(key: "a/b"), .showKinds(kinds: ["locks"]),
        ]
        try await withServer(bridge) { path in
            try await ask(path) { client in
                for change in changes {
                    let token = try await client.propose(change).token
                    #expect(token == "t1")
                }
                #expect(try await client.apply("t1") == FakeBridge.reloaded)
                #expect(try await client.undoConfiguration() == FakeBridge.reloaded)
                #expect(try await client.configuration().offers.map(\.fields.count) == [2])
            }
        }
        let proposals = bridge.calls.filter { $0.hasPrefix("propose") }
        #expect(proposals.count == changes.count)
        for change in changes {
            #expect(try ConfigurationChange(json: change.json) == change)
            #expect(bridge.calls.contains("propose \(change.json.text)"))
            #expect(
                !"\(change) \(String(reflecting: change)) \(Mirror(reflecting: change).children.count)".contains(
                    "hunter2"))
        }
    }

    @Test("sends the setup code of a paired bridge only with force")
    func unforced() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { path in
            try await LineRPCClient.connect(to: path) { peer in
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

    @Test("logs each disclosed setup code and backup with the requester, but no rejected requests")
    func disclosures() async throws {
        let log = RecordedLog()
        let bridge = FakeBridge(memory: [1, 2, 3])
        try await withServer(bridge, logger: Logger(label: "test") { _ in log }) { path in
            try await ask(path) { client in
                _ = try? await client.setup(force: false)
                #expect(log.lines.isEmpty)
                _ = try await client.setup(force: true)
                _ = try await client.backup()
                _ = try await client.status()
            }
        }
        let asker = "pid=\(getpid()) uid=\(getuid())"
        #expect(log.lines == ["notice setup code shown \(asker)", "notice backup taken \(asker)"])
    }

    @Test("rejects invalid changes before the bridge sees them")
    func invalid() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { path in
            for change in [LightChange(reachable: true), LightChange(brightness: 101), LightChange(on: true, hue: 361)]
            {
                let error = await #expect(throws: BridgeControlError.self) {
                    try await ask(path) { try await $0.setLight("a/b", change) }
                }
                #expect(error?.code == 64)
            }
            let error = await #expect(throws: BridgeControlError.self) {
                try await ask(path) { try await $0.simulate("a/b", LightChange(temperature: -271)) }
            }
            #expect(error?.code == 64)
        }
        #expect(bridge.calls.isEmpty)
    }

    @Test("rejects a file that is shorter or longer than announced, on both sides")
    func wrongSizes() async throws {
        let bridge = FakeBridge()
        try await withServer(bridge) { path in
            for part: JSONValue in ["", "AAAAAAAA", "?"] {
                try await LineRPCClient.connect(to: path, handler: Deputy { _, _ in ["data": part] }) { peer in
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
            } _: { path in
                let error = await #expect(throws: BridgeControlError.self) {
                    try await ask(path) { try await $0.backup() }
                }
                #expect(error?.code == 76)
            }
        }
    }

    @Test("reports a broken connection during watch as an error")
    func brokenWatch() async throws {
        try await withDaemon { _, peer in
            try peer.notify("watch.started")
            await peer.drained()
            peer.close()
            return [:]
        } _: { path in
            let error = await #expect(throws: BridgeControlError.self) {
                try await ask(path) { try await $0.watch(onWatching: {}) { _ in } }
            }
            #expect(error?.description == "lamplighterd closed the connection at \(path); check its log")
            #expect(error?.code == 69)
        }
    }

    @Test("explains that an unknown command is due to different versions")
    func versions() async throws {
        try await withDaemon { method, _ in
            throw RPCFailure.methodNotFound(method)
        } _: { path in
            let expected = BridgeControlError(
                code: 69, message: "unknown method \"status\"",
                remedy: "install the same version of lamplighter and lamplighterd")
            await #expect(throws: expected) { try await ask(path) { try await $0.status() } }
        }
    }

    @Test("sends events as they happen, and ends the watch when the bridge ends")
    func watch() async throws {
        let bridge = FakeBridge()
        let seen = Seen()
        try await withServer(bridge) { path in
            try await ask(path) { try await $0.watch(onWatching: { bridge.emit(3) }) { seen.append($0.key) } }
        }
        #expect(seen.keys == ["k0", "k1", "k2"])
    }

    @Test("reports a daemon that isn't running, with a remedy")
    func unreachable() async throws {
        var expected = BridgeControlError(
            code: 69, message: "can't connect to lamplighterd at /nowhere/s (No such file or directory)",
            remedy: "start lamplighterd (in a clone with make run), or specify its socket with --control")
        expected.isDaemonAway = true
        await #expect(throws: expected) {
            try await ask("/nowhere/s") { try await $0.status() }
        }
    }

    /// Runs a fake daemon with answers from the test.
    private func withDaemon(
        _ answer: @escaping @Sendable (String, LineRPCPeer) async throws -> JSONValue,
        _ body: @Sendable (_ path: String) async throws -> Void
    ) async throws {
        try await withUnixSocket(
            { path, onListening in
                try await LineRPCServer(path: path, handler: Deputy(answer: answer), logger: silent)
                    .run(onListening: onListening)
            }, body)
    }

    private func withServer(
        _ bridge: FakeBridge, logger: Logger = silent, _ body: @Sendable (_ path: String) async throws -> Void
    ) async throws {
        try await withUnixSocket(
            { path, onListening in
                try await BridgeControlServer(path: path, group: nil, handler: bridge, logger: logger)
                    .run(onListening: onListening)
            }, body)
    }

    /// Connects like the `lamplighter` command.
    private func ask<Result: Sendable>(
        _ path: String, _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        try await BridgeControlClient.connect(to: SocketLocation(chosen: path), body)
    }
}

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Runs a server at a temporary socket while the body is running.
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

/// A handler with scripted answers, for either side of a connection.
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

/// A log that records the level, message and metadata of each event.
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

    func warnings() async throws -> WarningListing {
        note("warnings")
        return WarningListing(
            since: "t", records: [WarningRecord(BridgeWarning(.storage, "the disk is full"), since: "t", times: 2)])
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
    func identifyLight(_ key: String) async throws { note("identify \(key)") }
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
    func backup(isByPage: Bool) async throws -> [UInt8] { memory }

    func configuration() async throws -> ConfigurationListing {
        ConfigurationListing(
            file: "/etc/x.yaml",
            offers: [
                DriverOffer(
                    driver: "mqtt", title: "MQTT", about: "Devices.",
                    fields: [
                        .init(name: "url", label: "Broker", kind: .text, isRequired: true, example: "mqtt://h:1"),
                        .init(name: "password-file", label: "Password", kind: .secret),
                    ])
            ], hidden: [.init(key: "home/2", name: "Cellar")], undo: "hide home/2")
    }

    func proposeConfiguration(_ change: ConfigurationChange, isByPage: Bool) async throws -> ConfigurationProposal {
        note("propose \(change.json.text)")
        return ConfigurationProposal(
            token: "t1", file: "/etc/x.yaml", diff: "@@ -1,0 +2,1 @@\n+a: 1\n", warnings: ["Mind the gap."],
            secretFiles: ["/etc/mqtt.password"])
    }

    func applyConfiguration(_ token: String, isByPage: Bool) async throws -> ReloadListing {
        note("apply \(token)" + (isByPage ? " for the page" : ""))
        return try await reload()
    }

    func undoConfiguration(isByPage: Bool) async throws -> ReloadListing {
        note("undo" + (isByPage ? " for the page" : ""))
        return try await reload()
    }

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
