import Foundation
import Synchronization

/// A real broker on a free port of the loopback interface, in a temporary directory.
final class Mosquitto: Sendable {
    enum StartError: Error {
        case noFreePort, didNotStart(String)
    }

    let port: UInt16
    let directory: URL
    private let extra: String
    private let process = Mutex<Process?>(nil)

    private static let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Starts a broker.
    ///
    /// `configuration` returns more lines for the configuration file, given the broker's directory.
    init(_ configuration: @escaping @Sendable (URL) throws -> String = { _ in "allow_anonymous true" }) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "mosquitto-\(UUID().uuidString)")
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let extra = try await Self.onThread { try configuration(directory) }
        self.extra = extra
        var last: any Error = StartError.noFreePort
        // Another process may take the free port before the broker does.
        for _ in 0..<5 {
            let port = try Self.freePort()
            do {
                process.withLock { $0 = nil }
                let started = try await Self.onThread {
                    try Self.start(port: port, directory: directory, extra: extra)
                }
                process.withLock { $0 = started }
                self.port = port
                return
            } catch {
                last = error
            }
        }
        throw last
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Kills the broker, as a power failure would.
    func stop() {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let running, running.isRunning else { return }
        kill(running.processIdentifier, SIGKILL)
        running.waitUntilExit()
    }

    /// Suspends the broker, so that it keeps its connections and doesn't respond.
    func freeze() { _ = process.withLock { $0.map { kill($0.processIdentifier, SIGSTOP) } } }

    /// Starts the broker again on its port.
    func restart() async throws {
        stop()
        let started = try await Self.onThread { [port, directory, extra] in
            try Self.start(port: port, directory: directory, extra: extra)
        }
        process.withLock { $0 = started }
    }

    /// Runs a blocking body on a separate thread, so that other tests continue.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    private static func start(port: UInt16, directory: URL, extra: String) throws -> Process {
        let file = directory.appending(path: "mosquitto.conf")
        let text = "listener \(port) 127.0.0.1\npersistence false\nlog_dest stderr\nlog_type all\n\(extra)\n"
        try text.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "/usr/sbin/mosquitto")
        process.arguments = ["-c", file.path]
        let log = Pipe()
        process.standardError = log
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var notified = ""
        while !notified.contains("running") {
            let chunk = log.fileHandleForReading.availableData
            guard !chunk.isEmpty else { throw StartError.didNotStart(notified) }
            notified += String(decoding: chunk, as: UTF8.self)
        }
        // The broker would block if the pipe of its log were full.
        log.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
        return process
    }

    private static func freePort() throws -> UInt16 {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, length) == 0 && getsockname(file, $0, &length) == 0
            }
        }
        guard bound else { throw StartError.noFreePort }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Runs a system program and waits for it.
    static func run(_ program: String, _ arguments: [String], in directory: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw StartError.didNotStart("\(program) \(arguments)") }
    }
}
