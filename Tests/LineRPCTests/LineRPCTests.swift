import BoundedJSON
import Glibc
import LineRPC
import NIOCore
import TestTimeouts
import Testing

@Suite("JSON-RPC over a Unix socket", .timeout)
struct LineRPCTests {
    private let folder: SocketFolder
    private var path: String { folder.path }

    init() throws { folder = try SocketFolder() }

    @Test("returns a failure with code, message and data, and hides internal errors")
    func failures() async throws {
        try await withServer(at: path) {
            try await LineRPCClient.connect(to: path) { server in
                let expected = RPCFailure(code: 69, message: "no such light", data: ["key": "a/b"])
                await #expect(throws: expected) { try await server.call("fail", deadline: nil) }
                await #expect(throws: RPCFailure.internalError) { try await server.call("break", deadline: nil) }
                await #expect(throws: RPCFailure.methodNotFound("lihgts")) {
                    try await server.call("lihgts", deadline: nil)
                }
            }
        }
    }

    @Test("answers a hundred concurrent calls over four connections")
    func concurrentCalls() async throws {
        try await withServer(at: path) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in 0..<4 {
                    group.addTask {
                        try await LineRPCClient.connect(to: path) { server in
                            try await withThrowingTaskGroup(of: Void.self) { calls in
                                for number in 0..<25 {
                                    calls.addTask {
                                        let params: JSONValue = ["n": .integer(Int64(connection * 100 + number))]
                                        try await expect(server, calling: "echo", with: params, returns: params)
                                    }
                                }
                                try await calls.waitForAll()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("delivers notifications in order and before the answer")
    func notifications() async throws {
        let numbers = try await withServer(at: path) {
            try await LineRPCClient.connect(to: path) { server in
                try await expect(server, calling: "tell", with: ["count": 100], returns: 100)
                var numbers: [Int?] = []
                for await notified in server.notifications {
                    numbers.append(notified.params["number"]?.int)
                    if numbers.count == 100 { break }
                }
                return numbers
            }
        }
        #expect(numbers == Array(0..<100))
    }

    @Test("lets the server call the client while it answers")
    func bothDirections() async throws {
        try await withServer(at: path) {
            try await LineRPCClient.connect(to: path, handler: Echo()) { server in
                try await expect(server, calling: "ask", with: ["x": 1], returns: ["x": 1])
            }
            try await LineRPCClient.connect(to: path) { server in
                let refusal = RPCFailure.methodNotFound("echo")
                await #expect(throws: refusal) { try await server.call("ask", deadline: nil) }
            }
        }
    }

    @Test("ends a canceled call immediately")
    func cancelledCall() async throws {
        let (events, sink) = AsyncStream.makeStream(of: String.self)
        try await withServer(at: path, handler: Echo(waiting: sink)) {
            try await LineRPCClient.connect(to: path) { server in
                let call = Task { try await server.call("wait", deadline: nil) }
                #expect(await events.first { _ in true } == "waits")
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
            }
        }
    }

    @Test("rejects a request if too many are in progress")
    func requestsInProgress() async throws {
        let (_, sink) = AsyncStream.makeStream(of: String.self)
        let limits = LineLimits(outstandingRequests: 2)
        try await withServer(at: path, limits: limits, handler: Echo(waiting: sink)) {
            try await withRawConnection(to: path) { outbound, lines in
                for number in 1...3 {
                    let request = RPCMessage.request(id: .integer(Int64(number)), method: "wait", params: [:])
                    try await outbound.write(ByteBuffer(bytes: request.line))
                }
                let refused = try await lines.next()
                #expect(refused?["id"] == 3 && refused?["error"]?["code"] == -32000)
            }
        }
    }

    @Test("cancels the requests of a peer that disconnects")
    func peerVanishes() async throws {
        let (events, sink) = AsyncStream.makeStream(of: String.self)
        try await withServer(at: path, handler: Echo(waiting: sink)) {
            try await withRawConnection(to: path) { outbound, _ in
                try await outbound.write(
                    ByteBuffer(bytes: RPCMessage.request(id: .integer(1), method: "wait", params: [:]).line))
                #expect(await events.first { _ in true } == "waits")
            }
            // The work is canceled while the server keeps running.
            #expect(await events.first { _ in true } == "cancelled")
        }
    }

    @Test("ends calls when the server disconnects")
    func serverVanishes() async throws {
        let (events, sink) = AsyncStream.makeStream(of: String.self)
        let server = LineRPCServer(path: path, handler: Echo(waiting: sink), logger: silent)
        let run = await started(server)
        try await LineRPCClient.connect(to: path) { peer in
            let call = Task { try await peer.call("wait", deadline: nil) }
            _ = await events.first { _ in true }
            run.cancel()
            await #expect(throws: LineRPCError.closed) { try await call.value }
            await #expect(throws: LineRPCError.closed) { try await peer.call("echo") }
        }
        _ = await run.result
    }

    @Test("delivers an answer of any length while the server shuts down")
    func answerAtTheEnd() async throws {
        // The answer is longer than the socket buffers of a peer that doesn't read.
        let length = 600_000
        for _ in 0..<3 {
            let (begun, sink) = AsyncStream.makeStream(of: Void.self)
            let server = LineRPCServer(
                path: path, limits: LineLimits(closeTimeout: .seconds(8)),
                handler: LastWord(length: length, begun: sink), logger: silent)
            let run = await started(server)
            try await LineRPCClient.connect(to: path) { peer in
                async let answer = peer.call("wait", deadline: nil)
                _ = await begun.first { true }
                run.cancel()
                let arrived = try await answer
                #expect(arrived.string?.count == length)
            }
            _ = await run.result
        }
    }

    @Test("waits only briefly for a peer that reads nothing when the server shuts down")
    func endWithoutReader() async throws {
        let (begun, sink) = AsyncStream.makeStream(of: Void.self)
        let server = LineRPCServer(
            path: path,
            limits: LineLimits(sentLineLength: 1 << 21, outbox: 1 << 22, closeTimeout: .milliseconds(50)),
            handler: LastWord(length: 1 << 20, begun: sink), logger: silent)
        let run = await started(server)
        try await withSilentReader(of: path, sending: .request(id: .integer(1), method: "wait", params: [:])) {
            _ = await begun.first { true }
            run.cancel()
            // The server ends even though the peer hasn't read anything.
            _ = await run.result
        }
    }

    @Test("closes all connections that are opened while the server shuts down")
    func connectingToAnEnd() async throws {
        for _ in 0..<20 {
            let server = LineRPCServer(path: path, handler: Echo(), logger: silent)
            let run = await started(server)
            await withDiscardingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try? await withRawConnection(to: path) { _, lines in _ = try await lines.next() }
                    }
                    if number == 10 { run.cancel() }
                }
            }
            _ = await run.result
        }
    }

    @Test("accepts split and joined lines, and answers invalid and long lines with an error")
    func malformed() async throws {
        try await withServer(at: path, limits: LineLimits(lineLength: 200)) {
            try await withRawConnection(to: path) { outbound, lines in
                func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }
                try await send(#"{"jsonrpc":"2.0","id":1,"met"#)
                try await send(#"hod":"echo","params":[1]}"# + "\n" + #"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)
                try await send("\n")
                let answers = [try await lines.next(), try await lines.next()]
                #expect(answers.compactMap { $0?["id"]?.int }.sorted() == [1, 2])
                try await send("garbage\n")
                #expect(try await lines.next()?["error"]?["code"] == -32700)
                try await outbound.write(ByteBuffer(bytes: [0xFF, 0x00, 0x0A]))
                #expect(try await lines.next()?["error"]?["code"] == -32700)
                try await send(String(repeating: "x", count: 100_000) + "\n")
                #expect(try await lines.next()?["error"]?["code"] == -32600)
                try await send(#"{"jsonrpc":"2.0","id":9,"result":1}"# + "\n")
                try await send(#"{"jsonrpc":"2.0","id":3,"method":"long","params":{"length":1000}}"# + "\n")
                #expect(
                    try await lines.next()
                        == [
                            "jsonrpc": "2.0", "id": 3,
                            "error": ["code": -32001, "message": "the response is too long"],
                        ])
            }
        }
    }

    @Test("disconnects a peer that reads nothing when its outbox is full")
    func slowReader() async throws {
        try await withServer(at: path, limits: LineLimits(outbox: 100_000)) {
            try await withRawConnection(to: path) { outbound, lines in
                try await outbound.write(
                    ByteBuffer(
                        bytes: RPCMessage.request(id: .integer(1), method: "tell", params: ["count": 1_000_000])
                            .line))
                var count = 0
                while let line = try? await lines.next() {
                    // An answer would show that the peer hasn't been disconnected.
                    #expect(line["id"] == nil)
                    count += 1
                }
                #expect(count < 1_000_000)
            }
        }
    }

    @Test("drops a client that falls behind with notifications")
    func slowConsumer() async throws {
        try await withServer(at: path) {
            try await LineRPCClient.connect(to: path, limits: LineLimits(notifications: 10)) { server in
                await #expect(throws: LineRPCError.closed) {
                    try await server.call("tell", ["count": 11], deadline: nil)
                }
            }
        }
    }

    @Test("serves another peer after one disconnects")
    func peersOneAfterTheOther() async throws {
        try await withServer(at: path, limits: LineLimits(peers: 1)) {
            for _ in 0..<3 {
                // The server may notice a little later that the last connection has ended.
                try await eventually("a peer is served") {
                    let answer = try? await LineRPCClient.connect(to: path) {
                        try await $0.call("echo", deadline: nil)
                    }
                    return answer == [:]
                }
            }
        }
    }

    @Test("closes connections beyond the limit")
    func peers() async throws {
        try await withServer(at: path, limits: LineLimits(peers: 1)) {
            try await LineRPCClient.connect(to: path) { first in
                try await expect(first, calling: "echo", returns: [:])
                try await LineRPCClient.connect(to: path) { second in
                    await #expect(throws: LineRPCError.closed) { try await second.call("echo") }
                }
                try await expect(first, calling: "echo", returns: [:])
            }
        }
    }

    @Test("creates the socket with the given mode, and removes it at the end")
    func socketFile() async throws {
        try await withServer(at: path) {
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o660)
        }
        #expect(access(path, F_OK) != 0)
        #expect(access(path + ".new", F_OK) != 0)
    }

    @Test("rejects a socket in use, and replaces one left by a crash")
    func staleSocket() async throws {
        try await withServer(at: path) {
            await #expect(throws: LineRPCError.inUse(path: path)) { try await withServer(at: path) {} }
            try await LineRPCClient.connect(to: path) { try await expect($0, calling: "echo", returns: [:]) }
        }
        try leaveSocketBehind(at: path)
        await #expect(throws: LineRPCError.unreachable(path: path, reason: "Connection refused")) {
            try await LineRPCClient.connect(to: path) { _ in }
        }
        try await withServer(at: path) {
            try await LineRPCClient.connect(to: path) { try await expect($0, calling: "echo", returns: [:]) }
        }
    }

    @Test("doesn't remove the socket of another server when it ends")
    func successor() async throws {
        let server = LineRPCServer(path: path, handler: Echo(), logger: silent)
        let predecessor = await started(server)
        #expect(unlink(path) == 0)
        try await withServer(at: path) {
            predecessor.cancel()
            _ = await predecessor.result
            try await LineRPCClient.connect(to: path) { try await expect($0, calling: "echo", returns: [:]) }
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("assigns the socket to the given group", .enabled(if: anotherGroup != nil, "the user has no other group"))
    func socketGroup() async throws {
        let group = try #require(anotherGroup)
        let server = LineRPCServer(path: path, group: group.name, handler: Echo(), logger: silent)
        let run = await started(server)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_gid == group.id)
        run.cancel()
        _ = await run.result
    }

    @Test("never removes a file that isn't a socket")
    func notASocket() async throws {
        #expect(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0)
        await #expect(throws: LineRPCError.notASocket(path: path)) { try await withServer(at: path) {} }
        #expect(access(path, F_OK) == 0)
    }

    @Test("names a missing socket and a path that is too long")
    func unreachable() async throws {
        let long = "/tmp/" + String(repeating: "x", count: 200)
        await #expect(throws: LineRPCError.unreachable(path: "/nowhere/s", reason: "No such file or directory")) {
            try await LineRPCClient.connect(to: "/nowhere/s") { _ in }
        }
        await #expect(throws: LineRPCError.pathTooLong(path: long)) {
            try await LineRPCClient.connect(to: long) { _ in }
        }
        await #expect(throws: LineRPCError.pathTooLong(path: long)) { try await withServer(at: long) {} }
        await #expect(throws: LineRPCError.cannotListen(path: "/nowhere/s", reason: "No such file or directory")) {
            try await withServer(at: "/nowhere/s") {}
        }
    }

    /// Binds a socket and closes it without removing its file, like a server that was killed.
    private func leaveSocketBehind(at path: String) throws {
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        let address = try SocketAddress(unixDomainSocketPath: path)
        let result = address.withSockAddr { bind(file, $0, socklen_t($1)) }
        try #require(result == 0)
    }
}
