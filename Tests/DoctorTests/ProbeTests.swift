import BridgeControl
import Foundation
import Synchronization
import TestTimeouts
import Testing

@testable import Doctor

@Suite("Probing of programs", .timeout)
struct ProbeTests {
    // MARK: Unix sockets

    private static func path() -> String { "/tmp/lamplighter-probe-\(getpid())-\(UInt32.random(in: 0 ... .max))" }

    @Test(
        "classifies the program that listens on the D-Bus socket",
        arguments: [
            (.answers("DATA\r\n"), .answers), (.hangsUp, .refused(reason: "it closes the connection")),
            (.isSilent, .silent),
        ] as [(Listener.Habit, UnixProbe.Outcome)])
    func bus(habit: Listener.Habit, outcome: UnixProbe.Outcome) async throws {
        let path = Self.path()
        defer { unlink(path) }
        let listener = try Listener(unix: path, habit)
        #expect(await UnixProbe.systemBus(address: "unix:path=\(path)") == outcome)
        #expect(await !UnixProbe.isAbsent(path))
        #expect(listener.received.hasPrefix("\0AUTH\r\n"))
    }

    @Test("reports a missing or abandoned socket as absent")
    func absent() async throws {
        let path = Self.path()
        defer { unlink(path) }
        #expect(await UnixProbe.systemBus(address: "unix:path=\(path)") == .absent)
        #expect(await UnixProbe.isAbsent(path))
        do { _ = try Listener(unix: path, .hangsUp) }
        #expect(access(path, F_OK) == 0)
        #expect(await UnixProbe.systemBus(address: "unix:path=\(path)") == .absent)
        #expect(await UnixProbe.isAbsent(path))
        #expect(await UnixProbe.isAbsent("/dev/null/socket"))
    }

    // MARK: TCP

    @Test(
        "classifies the program that listens on the bridge's port",
        arguments: [
            (.answers("HTTP/1.1 470 Connection Authorization Required\r\n\r\n"), .answers),
            (.answers("HTTP/1.1 200 OK\r\n\r\n"), .foreign), (.answers("SSH-2.0-x\r\n"), .foreign),
            (.hangsUp, .closed), (.isSilent, .silent),
        ] as [(Listener.Habit, TCPProbe.Outcome)])
    func port(habit: Listener.Habit, outcome: TCPProbe.Outcome) async throws {
        let listener = try Listener(habit)
        let target = TCPProbe.Target(address: [127, 0, 0, 1], interface: "lo")
        let connection = await TCPProbe.connect(to: target, port: listener.port)
        #expect(connection == Facts.Connection(address: "127.0.0.1", outcome: outcome))
        #expect(listener.received.hasPrefix("GET /accessories HTTP/1.1\r\n"))
    }

    @Test("reports a port without a listener as refused")
    func refused() async throws {
        let listener = try Listener(.isAbsent)
        let target = TCPProbe.Target(address: [127, 0, 0, 1], interface: "lo")
        #expect(await TCPProbe.connect(to: target, port: listener.port).outcome == .refused)
    }

    @Test("doesn't try an invalid address")
    func noAddress() async {
        let connection = await TCPProbe.connect(to: .init(address: [1, 2], interface: "lo"), port: 1)
        #expect(connection.outcome == .failed(reason: "not an IP address"))
    }

    // MARK: The daemon's own check

    /// Runs `Tests/Fixtures/start-check`.
    ///
    /// The name of its configuration file selects its behavior.
    private func startCheck(_ habit: String) async -> StartOutput? {
        let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/start-check").path
        // The check blocks its thread, so run it on a separate thread.
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    returning: StartProbe.run(
                        program, configuration: habit, stateDirectory: "/state", runtimeDirectory: "/run"))
            }
        }
    }

    @Test("reads the reports, the last line and the exit code of a start check")
    func fails() async {
        #expect(
            await startCheck("fails")
                == StartOutput(
                    reports: [
                        StartReport(.configuration, "fails"),
                        StartReport(.state, "--state-directory /state --runtime-directory /run --json"),
                        StartReport(.port, "port 1 is taken", code: 69),
                    ], lastLine: "lamplighterd: port 1 is taken", code: 69))
    }

    @Test("reads the reports of a start check without faults")
    func well() async {
        #expect(await startCheck("well") == StartOutput(reports: [StartReport(.configuration, "well")], code: 0))
    }

    @Test(
        "ignores a start check that crashes, hangs, floods or is missing",
        arguments: ["crashes", "hangs", "talks"])
    func nothing(habit: String) async {
        #expect(await startCheck(habit) == nil)
        #expect(StartProbe.run("/nowhere/x", configuration: "", stateDirectory: "", runtimeDirectory: "") == nil)
    }
}

/// A listener that treats all connections in the same way.
final class Listener: Sendable {
    enum Habit: Sendable {
        case answers(String)
        /// Disconnects after the first bytes.
        case hangsUp
        case isSilent
        /// The port is bound, but no process listens.
        case isAbsent
    }

    private struct State {
        var received = ""
        var connections: [CInt] = []
    }

    /// The records that the listener's thread shares with the test.
    ///
    /// The thread must not hold a reference to the listener. Otherwise, the listener could be deallocated on the thread
    /// and close the descriptor. The thread would then accept connections of another test's listener whose descriptor
    /// has the same number.
    private final class Records: Sendable {
        let state = Mutex(State())
    }

    let port: Int
    private let file: CInt
    private let records = Records()
    private let isServed: Bool

    /// The bytes received on the first connection so far.
    var received: String { records.state.withLock { $0.received } }

    /// Listens at a path.
    init(unix path: String, _ habit: Habit) throws {
        file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = 0
        isServed = true
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try #require(Self.bind(file, &address))
        try listen(habit)
    }

    /// Listens on a free port of this host.
    init(_ habit: Habit) throws {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.file = file
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var taken = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try #require(Self.bind(file, &address))
        withUnsafeMutablePointer(to: &taken) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(file, $0, &length) }
        }
        port = Int(UInt16(bigEndian: taken.sin_port))
        if case .isAbsent = habit {
            isServed = false
            return
        }
        isServed = true
        try listen(habit)
    }

    deinit {
        // The shutdown ends the thread's call of accept(2). The thread then closes the descriptor.
        if isServed { shutdown(file, Int32(SHUT_RDWR)) } else { close(file) }
        for connection in records.state.withLock({ $0.connections }) { close(connection) }
    }

    private static func bind<Address>(_ file: CInt, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(file, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    private func listen(_ habit: Habit) throws {
        try #require(Glibc.listen(file, 8) == 0)
        let (file, records) = (file, records)
        Thread.detachNewThread {
            while true {
                let connection = accept(file, nil, nil)
                guard connection >= 0 else { break }
                Self.serve(connection, habit, records)
            }
            close(file)
        }
    }

    private static func serve(_ connection: CInt, _ habit: Habit, _ records: Records) {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(connection, &bytes, bytes.count)
        records.state.withLock { state in
            if state.received.isEmpty { state.received = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) }
        }
        switch habit {
        case .answers(let text):
            _ = write(connection, text, text.utf8.count)
            records.state.withLock { $0.connections.append(connection) }
        case .isSilent: records.state.withLock { $0.connections.append(connection) }
        case .hangsUp, .isAbsent:
            // Shut the connection down explicitly, because another test's program may have inherited the descriptor.
            shutdown(connection, Int32(SHUT_RDWR))
            close(connection)
        }
    }
}
