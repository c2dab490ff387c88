import BoundedJSON
import Discovery
import FoundationEssentials
import Glibc
import HAPController
import HAPModel
import HAPTesting
import HAPTransport
import HomeHub
import HomeModel
import LineRPC
import NIOCore
import NIOPosix
import TestTimeouts
import Testing

@testable import homehubd

/// Serves a hub during the body.
private func withSocket<Result: Sendable>(
    _ hub: any HubSessions, limits: AppConnections.Limits = AppConnections.Limits(),
    _ body: @Sendable (String) async throws -> Result
) async throws -> Result {
    try await withFolder { folder in
        let connections = AppConnections(hub: hub, limits: limits, logger: silent)
        let server = LineRPCServer(
            path: folder + "/s", mode: 0o666, limits: limits.lines, sessions: connections, logger: silent)
        let (listening, sink) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { sink.finish() }
                try await server.run { sink.yield() }
            }
            guard await listening.first(where: { true }) != nil else { throw Failure(message: "no server") }
            let result = try await body(folder + "/s")
            group.cancelAll()
            try? await group.waitForAll()
            return result
        }
    }
}

private let opening = SessionOpening(app: "org.example.lights", usageDescription: "to test", capabilities: [.home])

extension LineRPCPeer {
    fileprivate func ask(_ request: HomeRequest) async throws -> JSONValue {
        try await call(request.method, request.params, deadline: nil)
    }
}

/// A peer that sends raw lines and reads on demand.
private struct RawApp {
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    var bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    var splitter = LineSplitter(maximumLength: 1 << 25)
    var lines: [JSONValue] = []

    func say(_ id: Int64, _ request: HomeRequest) async throws {
        try await say(.request(id: .integer(id), method: request.method, params: request.params))
    }

    func say(_ message: RPCMessage) async throws { try await outbound.write(ByteBuffer(bytes: message.line)) }

    mutating func receive() async throws -> JSONValue? {
        while lines.isEmpty {
            guard let more = try await bytes.next(isolation: #isolation) else { return nil }
            for case .line(let line) in splitter.received(more.readableBytesView) {
                lines.append(try JSONValue(parsing: line, maximumLength: line.count))
            }
        }
        return lines.removeFirst()
    }
}

private func withRawApp<Result: Sendable>(
    _ path: String, _ body: (inout RawApp) async throws -> Result
) async throws -> Result {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(unixDomainSocketPath: path) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    return try await channel.executeThenClose { inbound, outbound in
        var app = RawApp(outbound: outbound, bytes: inbound.makeAsyncIterator())
        return try await body(&app)
    }
}

@Suite("The socket of the apps", .timeout)
struct AppConnectionsTests {
    @Test("identifies an app by its socket and closes its session with the connection")
    func identity() async throws {
        let hub = ScriptedHub()
        try await withSocket(hub) { path in
            try await LineRPCClient.connect(to: path) { server in
                let reply = try SessionReply(json: try await server.ask(.open(opening)))
                #expect(reply.status.contains(.authorized))
            }
            var notified = hub.notified.makeAsyncIterator()
            let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let peer = AppPeer(uid: getuid(), executable: program, mayDecide: true)
            #expect(await notified.next() == .opened("org.example.lights", peer))
            #expect(await notified.next() == .closed(SessionID(1)))
        }
    }

    @Test("lets only root and the hub's user decide for all apps")
    func deciding() {
        func mayDecide(_ uid: UInt32) -> Bool {
            AppPeer(PeerIdentity(uid: uid, gid: 0, pid: 1, executable: "/usr/bin/app")).mayDecide
        }
        #expect(mayDecide(0))
        #expect(mayDecide(geteuid()))
        #expect(!mayDecide(.max - 1))
    }

    @Test("requires that each connection opens one session, and allows another attempt after a refusal")
    func openingFirst() async throws {
        try await withSocket(ScriptedHub()) { path in
            try await withRawApp(path) { app in
                func code() async throws -> JSONValue? { try await app.receive()?["error"]?["code"] }
                try await app.say(1, .homes)
                #expect(try await code() == -32600)
                var silent = opening
                silent.usageDescription = " "
                try await app.say(2, .open(silent))
                let refusal = try await app.receive()?["error"]
                #expect(refusal?["code"] == 1001)
                #expect(refusal?["data"]?["name"] == "usageDescriptionMissing")
                try await app.say(3, .open(opening))
                #expect(try await app.receive()?["result"]?["status"] == 5)
                try await app.say(4, .open(opening))
                #expect(try await code() == -32600)
            }
        }
    }

    @Test("closes a connection that opens no session in time, but not a silent session")
    func openingInTime() async throws {
        let hub = ScriptedHub()
        var limits = AppConnections.Limits()
        limits.opening = .milliseconds(300)
        try await withSocket(hub, limits: limits) { path in
            try await withRawApp(path) { silent in
                let line = try await silent.receive()
                #expect(line == nil)
            }
        }
        limits.opening = .seconds(3)
        try await withSocket(hub, limits: limits) { path in
            try await withRawApp(path) { app in
                try await app.say(1, .open(opening))
                #expect(try await app.receive()?["result"]?["status"] == 5)
                try await Task.sleep(for: .milliseconds(3100))
                try await app.say(2, .open(opening))
                #expect(try await app.receive()?["error"]?["code"] == -32600)
            }
        }
    }

    @Test("rejects malformed requests before they reach the hub")
    func malformed() async throws {
        let hub = ScriptedHub()
        try await withSocket(hub) { path in
            try await withRawApp(path) { app in
                try await app.say(1, .open(opening))
                _ = try await app.receive()
                let attempts: [(String, JSONValue, JSONValue)] = [
                    ("homes.add", [:], 27), ("homes.add", ["name": 1], 3),
                    ("values.read", ["characteristics": ["x"]], 3),
                    ("homes.burn", [:], -32601),
                ]
                for (method, params, code) in attempts {
                    try await app.say(.request(id: .string(method), method: method, params: params))
                    let error = try await app.receive()?["error"]
                    #expect(error?["code"] == code)
                    guard code != -32601 else { continue }
                    #expect(try HomeError(json: error?["data"] ?? .null).code.rawValue == code.int)
                }
                try await app.say(9, .homes)
                for await notified in hub.notified {
                    guard case .received(let request, _) = notified else { continue }
                    #expect(request == .homes)
                    break
                }
            }
        }
    }

    @Test("delivers answers, events and errors in the hub's order")
    func order() async throws {
        let hub = ScriptedHub()
        try await withSocket(hub) { path in
            try await withRawApp(path) { app in
                try await app.say(1, .open(opening))
                _ = try await app.receive()
                try await app.say(20, .homes)
                try await app.say(30, .permissions)
                try await app.say(.notification(method: "rpc.cancel", params: ["id": 20]))
                var calls: [Call] = []
                for await notified in hub.notified {
                    if case .received(_, let call) = notified { calls.append(call) }
                    if case .cancelled(let call) = notified {
                        #expect(call == calls.first)
                        break
                    }
                }
                #expect(calls.count == 2)
                let error = HomeError(.nameContainsProhibitedCharacters, detail: "no", suggestions: ["Lamp"])
                await hub.say(.notification(.homesUpdated), to: SessionID(1))
                await hub.say(.answer(calls[1], .failure(error)), to: SessionID(1))
                await hub.say(.notification(.accessoryLost(try #require(.init("1A:2B:3C:4D:5E:6F")))), to: SessionID(1))
                await hub.say(.answer(calls[0], .success(["homes": []])), to: SessionID(1))
                #expect(try await app.receive()?["method"] == "homesUpdated")
                let failure = try await app.receive()
                #expect(failure?["id"] == 30)
                #expect(failure?["error"]?["code"] == 35)
                #expect(try HomeError(json: failure?["error"]?["data"] ?? .null) == error)
                #expect(try await app.receive()?["method"] == "browser.removed")
                #expect(try await app.receive()?["id"] == 20)
                await hub.end(SessionID(1))
                #expect(try await app.receive() == nil)
            }
        }
    }

    @Test("replaces an event that exceeds a line with homesUpdated")
    func tooLong() async throws {
        let hub = ScriptedHub()
        var limits = AppConnections.Limits()
        limits.lines.sentLineLength = 1000
        try await withSocket(hub, limits: limits) { path in
            try await withRawApp(path) { app in
                try await app.say(1, .open(opening))
                _ = try await app.receive()
                let app1 = AppIdentity(app: "a", uid: 1, executable: String(repeating: "x", count: 1000))
                let permission = AppPermission(app: app1, status: [], usageDescription: "", isPending: true)
                await hub.say(.notification(.permissionAsked(permission)), to: SessionID(1))
                #expect(try await app.receive()?["method"] == "homesUpdated")
            }
        }
    }

    @Test("limits the connections of one user")
    func connectionsOfUser() async throws {
        let hub = ScriptedHub()
        var limits = AppConnections.Limits()
        limits.lines.peersOfUser = 1
        try await withSocket(hub, limits: limits) { path in
            try await LineRPCClient.connect(to: path) { first in
                _ = try await first.ask(.open(opening))
                try await LineRPCClient.connect(to: path) { second in
                    await #expect(throws: LineRPCError.closed) { try await second.ask(.open(opening)) }
                }
            }
            for await notified in hub.notified where notified == .closed(SessionID(1)) { break }
            // The connection ends shortly after its session.
            var isWelcome = false
            while !isWelcome {
                isWelcome = try await LineRPCClient.connect(to: path) { (try? await $0.ask(.open(opening))) != nil }
            }
        }
    }
}

/// The test takes a while because it performs three thousand changes, not because it waits.
@Suite("An app that doesn't read", .timeout)
struct StalledAppTests {
    @Test("is asked to load the homes again, without delaying others")
    func stalledApp() async throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = HomeHub.Configuration(systemApp: SystemApp(app: "homehub", executable: program))
        configuration.feedLimit = 16
        let hub = try HomeHub(
            executor: EventLoopExecutor(loops.next()), store: HomeDatabase(makeQueue()),
            history: HistoryDatabase(.success(makeHistoryQueue()), maximumSize: 1 << 20), vault: InMemoryPairingVault(),
            browser: AccessoryServerBrowser(InMemoryBrowser()), dialer: TCPDialer(loops),
            configuration: configuration, timeZones: { _ in .utc }, logger: silent)
        let running = Task { await hub.run() }
        defer { running.cancel() }
        let opening = SessionOpening(app: "homehub", usageDescription: "to test", capabilities: [.home])
        var limits = AppConnections.Limits()
        limits.mark = 1
        try await withSocket(hub, limits: limits) { path in
            try await withRawApp(path) { stalled in
                try await stalled.say(1, .open(opening))
                #expect(try await stalled.receive()?["result"]?["isSystemApp"] == true)
                let last = try await LineRPCClient.connect(to: path) { busy in
                    _ = try await busy.ask(.open(opening))
                    let added = try HomeCommit(json: try await busy.ask(.write(.addHome(name: "Home"))))
                    guard case .home(let home) = added.result else { throw Failure(message: "no home") }
                    var commit = added
                    // These changes are much larger than the socket's buffer.
                    for number in 0..<3000 {
                        let name = String(repeating: "x", count: 50) + String(number)
                        commit = try HomeCommit(json: try await busy.ask(.write(.renameHome(home, name: name))))
                    }
                    return try #require(commit.transaction)
                }
                // The app starts to read again.
                var replica = HomeGraph()
                var (isVoid, loads) = (false, 0)
                while replica.home(last.home)?.revision != last.revision {
                    let line = try #require(await stalled.receive())
                    if let method = line["method"]?.string {
                        let events = try HomeNotification(method: method, params: line["params"] ?? .null)
                        switch events {
                        case .transaction(let transaction)? where !isVoid:
                            #expect(replica.apply(transaction) != .missed)
                        case .homesUpdated?:
                            isVoid = true
                            loads += 1
                            try await stalled.say(2, .homes)
                        default: break
                        }
                    } else {
                        replica = HomeGraph(homes: try HomesReply(json: line["result"] ?? .null).homes)
                        isVoid = false
                    }
                }
                // The session must have overflowed.
                #expect(loads > 0)
            }
        }
        running.cancel()
        await running.value
        try await loops.shutdownGracefully()
    }
}
