import BoundedJSON
import Glibc
import LineRPC
import Logging
import NIOCore
import NIOPosix
import Testing

/// A temporary folder for the socket of one test.
final class SocketFolder: Sendable {
    private let folder = "/tmp/line-rpc-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    var path: String { folder + "/s" }

    init() throws {
        guard mkdir(folder, 0o700) == 0 else { throw Failure(message: "mkdir \(folder): \(errno)") }
    }

    deinit {
        unlink(path + ".new")
        unlink(path)
        rmdir(folder)
    }
}

struct Failure: Error { var message: String }

/// A group other than the process's primary group that can be assigned to files; `nil` if there is none.
let anotherGroup: (id: gid_t, name: String)? = {
    let count = getgroups(0, nil)
    var ids = [gid_t](repeating: 0, count: Int(max(0, count)))
    _ = getgroups(count, &ids)
    // Root may assign any group. Group 1 exists on every system.
    if getuid() == 0 { ids.append(1) }
    guard let id = ids.first(where: { $0 != getegid() }), let entry = getgrgid(id) else { return nil }
    return (id, String(cString: entry.pointee.gr_name))
}()

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A handler that returns its parameters.
///
/// `wait` never answers, `tell` sends notifications before it answers, and `fail` and `break` fail.
struct Echo: LineRPCHandler {
    var waiting: AsyncStream<String>.Continuation?

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        switch method {
        case "echo": return params
        case "wait":
            waiting?.yield("waits")
            defer { waiting?.yield(Task.isCancelled ? "cancelled" : "done") }
            try await Task.sleep(for: .seconds(3600))
            return .null
        case "tell":
            let count = params["count"]?.int ?? 0
            for number in 0..<count { try peer.notify("told", ["number": .integer(Int64(number))]) }
            return .integer(Int64(count))
        case "ask": return try await peer.call("echo", params)
        case "long": return .string(String(repeating: "x", count: params["length"]?.int ?? 0))
        case "fail": throw RPCFailure(code: 69, message: "no such light", data: ["key": "a/b"])
        case "break": throw Failure(message: "secret")
        default: throw RPCFailure.methodNotFound(method)
        }
    }
}

/// A handler that answers only when it is canceled.
struct LastWord: LineRPCHandler {
    let length: Int
    let begun: AsyncStream<Void>.Continuation

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        begun.yield()
        try? await Task.sleep(for: .seconds(3600))
        return .string(String(repeating: "x", count: length))
    }
}

/// Runs a server while `body` runs, and waits until the server has ended.
@discardableResult
func running<Result: Sendable>(
    _ server: LineRPCServer, _ body: @Sendable () async throws -> Result
) async throws -> Result {
    let (listening, sink) = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { sink.finish() }
            try await server.run { sink.yield() }
        }
        guard await listening.first(where: { true }) != nil else {
            try await group.waitForAll()
            throw Failure(message: "the server ended without an error")
        }
        let result = try await body()
        group.cancelAll()
        try? await group.waitForAll()
        return result
    }
}

@discardableResult
func withServer<Result: Sendable>(
    at path: String, limits: LineLimits = LineLimits(), handler: any LineRPCHandler = Echo(),
    _ body: @Sendable () async throws -> Result
) async throws -> Result {
    try await running(LineRPCServer(path: path, limits: limits, handler: handler, logger: silent), body)
}

/// Starts a server that the test must cancel, and returns once the server listens.
func started(_ server: LineRPCServer) async -> Task<Void, any Error> {
    let (listening, sink) = AsyncStream.makeStream(of: Void.self)
    let run = Task { try await server.run { sink.yield() } }
    _ = await listening.first { true }
    return run
}

/// Calls `body` with a peer that sends raw bytes and reads raw lines.
func withRawConnection<Result: Sendable>(
    to path: String,
    _ body: (NIOAsyncChannelOutboundWriter<ByteBuffer>, inout RawLines) async throws -> Result
) async throws -> Result {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(unixDomainSocketPath: path) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    return try await channel.executeThenClose { inbound, outbound in
        var lines = RawLines(bytes: inbound.makeAsyncIterator())
        return try await body(outbound, &lines)
    }
}

/// Runs `body` with a peer that sends one message and reads nothing.
func withSilentReader(of path: String, sending message: RPCMessage, _ body: () async throws -> Void) async throws {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelOption(.autoRead, value: false)
        .connect(unixDomainSocketPath: path).get()
    defer { channel.close(promise: nil) }
    try await channel.writeAndFlush(ByteBuffer(bytes: message.line))
    try await body()
}

struct RawLines {
    var bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    var splitter = LineSplitter(maximumLength: 1 << 24)
    var lines: [JSONValue] = []

    mutating func next() async throws -> JSONValue? {
        while lines.isEmpty {
            guard let more = try await bytes.next(isolation: #isolation) else { return nil }
            for case .line(let line) in splitter.received(more.readableBytesView) {
                lines.append(try JSONValue(parsing: line, maximumLength: line.count))
            }
        }
        return lines.removeFirst()
    }
}

func expect(
    _ peer: LineRPCPeer, calling method: String, with params: JSONValue = [:], returns expected: JSONValue,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    // The timeout of the test limits the call, so it needs no deadline.
    let answer = try await peer.call(method, params, deadline: nil)
    #expect(answer == expected, sourceLocation: sourceLocation)
}
