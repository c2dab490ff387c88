import BoundedJSON
import FoundationEssentials
import Glibc
import LineRPC
import NIOCore
import Synchronization
import TestTimeouts
import Testing

/// Serves each peer with a closure.
private struct Sessions: LineRPCSessions {
    let body: @Sendable (LineRPCPeer, AsyncStream<LineRPCInput>) async -> Void

    func serve(_ peer: LineRPCPeer, _ inputs: AsyncStream<LineRPCInput>) async { await body(peer, inputs) }
}

private func withSessions<Result: Sendable>(
    at path: String, limits: LineLimits = LineLimits(),
    serving body: @escaping @Sendable (LineRPCPeer, AsyncStream<LineRPCInput>) async -> Void,
    _ test: @Sendable () async throws -> Result
) async throws -> Result {
    let sessions = Sessions(body: body)
    return try await running(
        LineRPCServer(path: path, mode: 0o600, limits: limits, sessions: sessions, logger: silent), test)
}

private func line(_ id: Int64, _ method: String) -> ByteBuffer {
    ByteBuffer(bytes: RPCMessage.request(id: .integer(id), method: method, params: [:]).line)
}

@Suite("A session with answers in any order", .timeout)
struct SessionTests {
    private let folder: SocketFolder
    private var path: String { folder.path }

    init() throws { folder = try SocketFolder() }

    @Test("sends answers and events in the order of the calls")
    func order() async throws {
        let received = try await withSessions(at: path) { peer, inputs in
            var numbers: [UInt64] = []
            for await case .request(let number, _, _) in inputs {
                numbers.append(number)
                guard numbers.count == 3 else { continue }
                peer.answer(numbers[2], with: .success("third"))
                try? peer.notify("events")
                peer.answer(numbers[0], with: .failure(RPCFailure(code: 7, message: "first")))
                peer.answer(numbers[0], with: .success("again"))
                peer.answer(numbers[1], with: .success("second"))
            }
        } _: {
            try await withRawConnection(to: path) { outbound, lines in
                for id in [10, 20, 30] { try await outbound.write(line(Int64(id), "m")) }
                var received: [JSONValue] = []
                while received.count < 4, let line = try await lines.next() { received.append(line) }
                return received
            }
        }
        #expect(received.map { $0["id"] ?? $0["method"] } == [30, "events", 10, 20])
        #expect(received.last?["result"] == "second")
    }

    @Test("delivers requested answers in order among the notifications")
    func asking() async throws {
        try await withSessions(at: path) { peer, inputs in
            for await case .request(let number, let method, _) in inputs {
                try? peer.notify("before")
                peer.answer(
                    number,
                    with: method == "good" ? .success("yes") : .failure(RPCFailure(code: 7, message: "no")))
                try? peer.notify("after")
            }
        } _: {
            try await LineRPCClient.connect(to: path) { server in
                let ids = [try server.ask("good"), try server.ask("bad")]
                var received: [LineRPCPeer.Notification] = []
                for await notification in server.notifications {
                    received.append(notification)
                    if received.count == 6 { break }
                }
                #expect(received.map(\.method) == ["before", "", "after", "before", "", "after"])
                #expect(
                    received.compactMap(\.answer?.result) == [
                        .success("yes"), .failure(RPCFailure(code: 7, message: "no")),
                    ])
                #expect(received.compactMap(\.answer?.id) == ids)
            }
        }
    }

    @Test("sends a cancellation to the server, and accepts its late answer within the grace period")
    func cancellation() async throws {
        try await withSessions(at: path) { peer, inputs in
            for await input in inputs {
                if case .cancelled(let number) = input { peer.answer(number, with: .success("cancelled")) }
            }
        } _: {
            try await LineRPCClient.connect(to: path) { server in
                let late = try await server.call("m", deadline: .milliseconds(10), grace: .seconds(60))
                #expect(late == "cancelled")
                let call = Task { try await server.call("m", deadline: nil, grace: .seconds(60)) }
                call.cancel()
                // A call that is canceled before it is sent may never be sent.
                switch await call.result {
                case .success(let value): #expect(value == "cancelled")
                case .failure(let error): #expect(error is CancellationError)
                }
                await #expect(throws: LineRPCError.timedOut) {
                    try await server.call("m", deadline: .milliseconds(10))
                }
            }
        }
    }

    @Test("returns the server's last answer for a canceled call")
    func cancellationAtWork() async throws {
        let (atWork, sink) = AsyncStream.makeStream(of: Void.self)
        try await withSessions(at: path) { peer, inputs in
            for await input in inputs {
                switch input {
                case .request: sink.yield()
                case .cancelled(let number): peer.answer(number, with: .success("done already"))
                }
            }
        } _: {
            try await LineRPCClient.connect(to: path) { server in
                let call = Task { try await server.call("m", deadline: nil, grace: .seconds(60)) }
                _ = await atWork.first { true }
                call.cancel()
                let word = try await call.value
                #expect(word == "done already")
            }
        }
    }

    @Test("keeps the connection when the grace period ends")
    func grace() async throws {
        try await withSessions(at: path) { peer, inputs in
            for await case .request(let number, "echo", let params) in inputs {
                peer.answer(number, with: .success(params))
            }
        } _: {
            try await LineRPCClient.connect(to: path) { server in
                await #expect(throws: LineRPCError.timedOut) {
                    try await server.call("m", deadline: .milliseconds(10), grace: .milliseconds(10))
                }
                try await expect(server, calling: "echo", with: [1], returns: [1])
            }
        }
    }

    @Test("waits for a slow reader without losing a line")
    func stalledReader() async throws {
        let (begun, sink) = AsyncStream.makeStream(of: Void.self)
        // The answers are much longer than the socket buffers of a peer that doesn't read.
        let count = 200
        let text = String(repeating: "x", count: 10_000)
        try await withSessions(at: path, limits: LineLimits(outbox: 50_000)) { peer, _ in
            for number in 0..<count {
                try? peer.notify("told", ["number": .integer(Int64(number)), "text": .string(text)])
                sink.yield()
                await peer.drained(below: 20_000)
            }
            // Wait until everything is sent, before the connection is closed.
            await peer.drained()
        } _: {
            try await withRawConnection(to: path) { _, lines in
                _ = await begun.first { true }
                var numbers: [Int?] = []
                while let line = try await lines.next() { numbers.append(line["params"]?["number"]?.int) }
                #expect(numbers == Array(0..<count))
            }
        }
    }

    @Test("stops waiting for a peer that disconnects")
    func vanishedReader() async throws {
        let (ended, sink) = AsyncStream.makeStream(of: Void.self)
        try await withSessions(at: path, limits: LineLimits(sentLineLength: 1 << 21, outbox: 1 << 22)) {
            peer, _ in
            try? peer.notify("told", ["text": .string(String(repeating: "x", count: 1 << 20))])
            await peer.drained()
            sink.yield()
        } _: {
            try await withRawConnection(to: path) { _, lines in
                _ = try await lines.bytes.next(isolation: #isolation)
            }
            _ = await ended.first { true }
        }
    }

    @Test("stops reading from a peer that sends invalid lines and reads nothing")
    func floodOfNonsense() async throws {
        let count = 2000
        try await withSessions(at: path, limits: LineLimits(lineLength: 10_000, outbox: 20_000)) { _, inputs in
            for await _ in inputs {}
        } _: {
            try await withRawConnection(to: path) { outbound, lines in
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        for _ in 0..<count { try await outbound.write(ByteBuffer(string: "nonsense\n")) }
                    }
                    // The server doesn't signal that it has stopped reading. A longer pause would make it more certain
                    // that a failure is detected.
                    try await Task.sleep(for: .milliseconds(100))
                    var codes: [JSONValue?] = []
                    while codes.count < count, let line = try await lines.next() {
                        codes.append(line["error"]?["code"])
                    }
                    #expect(codes.count == count)
                    #expect(codes.allSatisfy { $0 == -32700 })
                    group.cancelAll()
                }
            }
        }
    }

    @Test("limits the total length of open requests to one line")
    func openLength() async throws {
        try await withSessions(at: path, limits: LineLimits(lineLength: 1000)) { peer, inputs in
            var waiting: [UInt64] = []
            for await case .request(let number, let method, _) in inputs {
                if method == "wait" {
                    waiting.append(number)
                } else {
                    peer.answer(number, with: .success("now"))
                    for number in waiting { peer.answer(number, with: .success("at last")) }
                    waiting = []
                }
            }
        } _: {
            try await withRawConnection(to: path) { outbound, lines in
                func ask(_ id: Int64, _ method: String, length: Int) async throws {
                    let params: JSONValue = ["text": .string("")]
                    let rest = RPCMessage.request(id: .integer(id), method: method, params: params).line.count - 1
                    let text = String(repeating: "x", count: length - rest)
                    try await outbound.write(
                        ByteBuffer(
                            bytes: RPCMessage.request(
                                id: .integer(id), method: method, params: ["text": .string(text)]
                            ).line))
                }
                try await ask(1, "wait", length: 600)
                try await ask(2, "wait", length: 401)
                let refused = try await lines.next()
                #expect(refused?["id"] == 2)
                #expect(refused?["error"]?["code"] == -32000)
                try await ask(3, "now", length: 400)
                #expect(try await lines.next()?["id"] == 3)
                #expect(try await lines.next()?["id"] == 1)
                try await ask(4, "now", length: 1000)
                #expect(try await lines.next()?["result"] == "now")
                // Requests that have been answered no longer count.
                try await ask(5, "wait", length: 600)
                try await ask(6, "now", length: 400)
                #expect(try await lines.next()?["id"] == 6)
                #expect(try await lines.next()?["id"] == 5)
            }
        }
    }

    @Test("allows an id again once it is answered, and limits open requests")
    func openRequests() async throws {
        try await withSessions(at: path, limits: LineLimits(outstandingRequests: 2)) { peer, inputs in
            for await input in inputs {
                if case .request(let number, "now", _) = input { peer.answer(number, with: .success(true)) }
            }
        } _: {
            try await withRawConnection(to: path) { outbound, lines in
                try await outbound.write(line(1, "wait"))
                try await outbound.write(line(1, "wait"))
                #expect(try await lines.next()?["error"]?["code"] == -32600)
                for _ in 0..<3 {
                    try await outbound.write(line(2, "now"))
                    #expect(try await lines.next()?["result"] == true)
                }
                try await outbound.write(line(3, "wait"))
                try await outbound.write(line(4, "wait"))
                let refused = try await lines.next()
                #expect(refused?["error"]?["code"] == -32000)
                #expect(refused?["id"] == 4)
            }
        }
    }

    @Test("ignores invalid and repeated cancellations")
    func orphanedCancellations() async throws {
        let notified = Mutex(0)
        try await withSessions(at: path) { peer, inputs in
            for await input in inputs {
                switch input {
                case .request(let number, "end", _): peer.answer(number, with: .success(true))
                case .request: break
                case .cancelled: notified.withLock { $0 += 1 }
                }
            }
        } _: {
            try await withRawConnection(to: path) { outbound, lines in
                func cancel(_ params: JSONValue) async throws {
                    try await outbound.write(
                        ByteBuffer(bytes: RPCMessage.notification(method: "rpc.cancel", params: params).line))
                }
                try await outbound.write(line(1, "wait"))
                for params: JSONValue in [[:], ["id": 7], ["id": true], [1], ["id": 1], ["id": 1]] {
                    try await cancel(params)
                }
                // These are more notifications than the server stores for a reader.
                for _ in 0..<2000 {
                    try await outbound.write(
                        ByteBuffer(bytes: RPCMessage.notification(method: "events", params: [:]).line))
                }
                try await outbound.write(line(2, "end"))
                #expect(try await lines.next()?["id"] == 2)
            }
        }
        #expect(notified.withLock { $0 } == 1)
    }

    @Test("allows longer lines in one direction")
    func lineLengths() async throws {
        try await withSessions(at: path, limits: LineLimits(lineLength: 200, sentLineLength: 2000)) {
            peer, inputs in
            for await case .request(let number, _, let params) in inputs {
                let text = String(repeating: "x", count: params["count"]?.int ?? 0)
                peer.answer(number, with: .success(.string(text)))
            }
        } _: {
            let limits = LineLimits(lineLength: 2000, sentLineLength: 200)
            try await LineRPCClient.connect(to: path, limits: limits) { server in
                let answer = try await server.call("m", ["count": 1500], deadline: nil)
                #expect(answer.string?.count == 1500)
                await #expect(throws: RPCFailure.answerTooLong) {
                    try await server.call("m", ["count": 2000], deadline: nil)
                }
                let long: JSONValue = ["text": .string(String(repeating: "x", count: 300))]
                await #expect(throws: LineRPCError.tooLong) { try await server.call("m", long) }
            }
        }
    }

    @Test("identifies the user and the program of its peer")
    func identity() async throws {
        let (identities, sink) = AsyncStream.makeStream(of: PeerIdentity?.self)
        try await withSessions(at: path) { peer, _ in
            sink.yield(peer.identity)
        } _: {
            try await LineRPCClient.connect(to: path) { _ in
                let identity = try #require(await identities.first { _ in true } ?? nil)
                let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
                #expect(
                    identity == PeerIdentity(uid: getuid(), gid: getgid(), pid: getpid(), executable: program))
            }
        }
    }
}
