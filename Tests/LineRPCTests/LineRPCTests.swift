import BoundedJSON
import Glibc
import LineRPC
import NIOCore
import TestTimeouts
import Testing

@Suite("JSON-RPC over a Unix socket", .timeout)
struct LineRPCTests {
    @Test("a call is answered with the handler's result")
    func call() async throws {
        try await withSocketPath { path in
            let answer = try await withServer(at: path) {
                try await LineRPCClient.connect(to: path) { try await $0.call("echo", ["light": "a/b"], deadline: nil) }
            }
            #expect(answer == ["light": "a/b"])
        }
    }

    @Test("a failure reaches the caller with code, message and data; a fault of ours says nothing of itself")
    func failures() async throws {
        try await withSocketPath { path in
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
    }

    @Test("a hundred calls at once over four connections get each their own answer")
    func concurrentCalls() async throws {
        try await withSocketPath { path in
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
    }

    @Test("notifications arrive in order, before the answer of the request that sent them")
    func notifications() async throws {
        try await withSocketPath { path in
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
    }

    @Test("the server may ask the client while it answers")
    func bothDirections() async throws {
        try await withSocketPath { path in
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
    }

    @Test("a call ends at its deadline, and the connection lives on")
    func deadline() async throws {
        try await withSocketPath { path in
            try await withServer(at: path) {
                try await LineRPCClient.connect(to: path) { server in
                    await #expect(throws: LineRPCError.timedOut) {
                        try await server.call("wait", deadline: .milliseconds(20))
                    }
                    try await expect(server, calling: "echo", with: [1], returns: [1])
                }
            }
        }
    }

    @Test("a cancelled call ends at once")
    func cancelledCall() async throws {
        let (events, sink) = AsyncStream.makeStream(of: String.self)
        try await withSocketPath { path in
            try await withServer(at: path, handler: Echo(waiting: sink)) {
                try await LineRPCClient.connect(to: path) { server in
                    let call = Task { try await server.call("wait", deadline: nil) }
                    #expect(await events.first { _ in true } == "waits")
                    call.cancel()
                    await #expect(throws: CancellationError.self) { try await call.value }
                }
            }
        }
    }

    @Test("when a peer vanishes, what works for it is cancelled")
    func peerVanishes() async throws {
        let (events, sink) = AsyncStream.makeStream(of: String.self)
        try await withSocketPath { path in
            try await withServer(at: path, handler: Echo(waiting: sink)) {
                try await withRawConnection(to: path) { outbound, _ in
                    try await outbound.write(
                        ByteBuffer(bytes: RPCMessage.request(id: .integer(1), method: "wait", params: [:]).line))
                    #expect(await events.first { _ in true } == "waits")
                }
                // While the server goes on.
                #expect(await events.first { _ in true } == "cancelled")
            }
        }
    }

    @Test("when the server vanishes, calls end")
    func serverVanishes() async throws {
        try await withSocketPath { path in
            let (events, sink) = AsyncStream.makeStream(of: String.self)
            let (listening, started) = AsyncStream.makeStream(of: Void.self)
            let server = LineRPCServer(path: path, handler: Echo(waiting: sink), logger: silent)
            let run = Task { try await server.run { started.yield() } }
            _ = await listening.first { true }
            try await LineRPCClient.connect(to: path) { peer in
                let call = Task { try await peer.call("wait", deadline: nil) }
                _ = await events.first { _ in true }
                run.cancel()
                await #expect(throws: LineRPCError.closed) { try await call.value }
                await #expect(throws: LineRPCError.closed) { try await peer.call("echo") }
            }
            _ = await run.result
        }
    }

    @Test("what is answered because the server ends still arrives, however long the answer is")
    func answerAtTheEnd() async throws {
        // More than the system takes for somebody who does not read.
        let length = 600_000
        for _ in 0..<3 {
            try await withSocketPath { path in
                let (begun, sink) = AsyncStream.makeStream(of: Void.self)
                let (listening, started) = AsyncStream.makeStream(of: Void.self)
                let server = LineRPCServer(
                    path: path, limits: LineLimits(closeTimeout: .seconds(8)),
                    handler: LastWord(length: length, begun: sink), logger: silent)
                let run = Task { try await server.run { started.yield() } }
                _ = await listening.first { true }
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
    }

    @Test("a peer that does not read its answer holds up the end of the server for a moment only")
    func endWithoutReader() async throws {
        try await withSocketPath { path in
            let (begun, sink) = AsyncStream.makeStream(of: Void.self)
            let (listening, started) = AsyncStream.makeStream(of: Void.self)
            let server = LineRPCServer(
                path: path,
                limits: LineLimits(sentLineLength: 1 << 21, outbox: 1 << 22, closeTimeout: .milliseconds(50)),
                handler: LastWord(length: 1 << 20, begun: sink), logger: silent)
            let run = Task { try await server.run { started.yield() } }
            _ = await listening.first { true }
            try await withSilentReader(of: path, sending: .request(id: .integer(1), method: "wait", params: [:])) {
                _ = await begun.first { true }
                run.cancel()
                // It ends although the peer has not read.
                _ = await run.result
            }
        }
    }

    @Test("peers that connect while the server ends are hung up on, all of them")
    func connectingToAnEnd() async throws {
        for _ in 0..<20 {
            try await withSocketPath { path in
                let (listening, started) = AsyncStream.makeStream(of: Void.self)
                let server = LineRPCServer(path: path, handler: Echo(), logger: silent)
                let run = Task { try await server.run { started.yield() } }
                _ = await listening.first { true }
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
    }

    @Test("lines may be split and joined at will; garbage and too long ones get an error and cost nothing else")
    func malformed() async throws {
        try await withSocketPath { path in
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
                                "error": ["code": -32001, "message": "the answer is longer than a line may be"],
                            ])
                }
            }
        }
    }

    @Test("more requests at once than allowed are refused, the others go on")
    func outstandingRequests() async throws {
        try await withSocketPath { path in
            try await withServer(at: path, limits: LineLimits(outstandingRequests: 2)) {
                try await withRawConnection(to: path) { outbound, lines in
                    for id in 1...3 {
                        try await outbound.write(
                            ByteBuffer(
                                bytes: RPCMessage.request(id: .integer(Int64(id)), method: "wait", params: [:]).line))
                    }
                    let answer = try await lines.next()
                    #expect(answer?["id"] == 3)
                    #expect(answer?["error"]?["code"] == -32000)
                }
            }
        }
    }

    @Test("a peer that does not read is dropped when its outbox is full")
    func slowReader() async throws {
        try await withSocketPath { path in
            try await withServer(at: path, limits: LineLimits(outbox: 100_000)) {
                try await withRawConnection(to: path) { outbound, lines in
                    try await outbound.write(
                        ByteBuffer(
                            bytes: RPCMessage.request(id: .integer(1), method: "tell", params: ["count": 1_000_000])
                                .line))
                    var count = 0
                    while let line = try? await lines.next() {
                        // The answer would mean that the peer was not dropped.
                        #expect(line["id"] == nil)
                        count += 1
                    }
                    #expect(count < 1_000_000)
                }
            }
        }
    }

    @Test("our own reader is dropped when it does not keep up with notifications")
    func slowConsumer() async throws {
        try await withSocketPath { path in
            try await withServer(at: path) {
                try await LineRPCClient.connect(to: path, limits: LineLimits(notifications: 10)) { server in
                    await #expect(throws: LineRPCError.closed) {
                        try await server.call("tell", ["count": 11], deadline: nil)
                    }
                }
            }
        }
    }

    @Test("requests one after the other are answered however many they are")
    func manyCalls() async throws {
        try await withSocketPath { path in
            try await withServer(at: path, limits: LineLimits(outstandingRequests: 2)) {
                try await LineRPCClient.connect(to: path) { server in
                    for number: Int64 in 0..<10 {
                        try await expect(server, calling: "echo", with: [.integer(number)], returns: [.integer(number)])
                    }
                }
            }
        }
    }

    @Test("a peer that has disconnected makes room for another")
    func peersOneAfterTheOther() async throws {
        try await withSocketPath { path in
            try await withServer(at: path, limits: LineLimits(peers: 1)) {
                for _ in 0..<3 {
                    // The server may notice the last one's end a little later.
                    try await eventually("a peer is taken") {
                        let answer = try? await LineRPCClient.connect(to: path) {
                            try await $0.call("echo", deadline: nil)
                        }
                        return answer == [:]
                    }
                }
            }
        }
    }

    @Test("one peer more than allowed is hung up on")
    func peers() async throws {
        try await withSocketPath { path in
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
    }

    @Test("the socket has the mode asked for, and is gone when the server is")
    func socketFile() async throws {
        try await withSocketPath { path in
            try await withServer(at: path) {
                var status = stat()
                #expect(lstat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o660)
            }
            #expect(access(path, F_OK) != 0)
            #expect(access(path + ".new", F_OK) != 0)
        }
    }

    @Test("a socket somebody answers at is left alone; one a crash left behind is replaced")
    func staleSocket() async throws {
        try await withSocketPath { path in
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
    }

    @Test("a server that ends leaves the socket alone that its successor has made meanwhile")
    func successor() async throws {
        try await withSocketPath { path in
            let (listening, started) = AsyncStream.makeStream(of: Void.self)
            let server = LineRPCServer(path: path, handler: Echo(), logger: silent)
            let predecessor = Task { try await server.run { started.yield() } }
            _ = await listening.first { true }
            #expect(unlink(path) == 0)
            try await withServer(at: path) {
                predecessor.cancel()
                _ = await predecessor.result
                try await LineRPCClient.connect(to: path) { try await expect($0, calling: "echo", returns: [:]) }
            }
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test("the socket belongs to the group asked for", .enabled(if: anotherGroup != nil, "the user has no other group"))
    func socketGroup() async throws {
        let group = try #require(anotherGroup)
        try await withSocketPath { path in
            let server = LineRPCServer(path: path, group: group.name, handler: Echo(), logger: silent)
            let (listening, started) = AsyncStream.makeStream(of: Void.self)
            let run = Task { try await server.run { started.yield() } }
            _ = await listening.first { true }
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_gid == group.id)
            run.cancel()
            _ = await run.result
        }
    }

    @Test("what is not a socket is never removed")
    func notASocket() async throws {
        try await withSocketPath { path in
            #expect(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0)
            await #expect(throws: LineRPCError.notASocket(path: path)) { try await withServer(at: path) {} }
            #expect(access(path, F_OK) == 0)
        }
    }

    @Test("a socket that is not there, and one whose path is too long, are named")
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

    /// Binds a socket and closes it without removing its file, as a killed server does.
    private func leaveSocketBehind(at path: String) throws {
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        let address = try SocketAddress(unixDomainSocketPath: path)
        let result = address.withSockAddr { bind(file, $0, socklen_t($1)) }
        try #require(result == 0)
    }
}
