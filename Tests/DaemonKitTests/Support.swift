import Glibc
import Logging
import Synchronization
import Testing

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Collects lines or messages.
final class Lines: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func add(_ line: String) { state.withLock { $0.append(line) } }
}

/// A local datagram socket, like those of the journal and the service manager.
final class DatagramSocket {
    /// The path, or the abstract name after an `@`.
    let name: String
    private let descriptor: CInt

    init(abstract: Bool = false) throws {
        name = (abstract ? "@" : "/tmp/") + "lamplighter-datagrams-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if abstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(result == 0)
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// Returns the next datagram, or `nil` if none is waiting.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
