import Glibc

/// The journal's socket, which receives one datagram per event.
final class JournalSocket: Sendable {
    static let path = "/run/systemd/journal/socket"

    private let path: String
    /// The socket's descriptor, which is open for the lifetime of the process.
    ///
    /// Each datagram has its own destination address, so datagrams reach a restarted journal, too.
    private let descriptor: CInt

    init(path: String = JournalSocket.path) {
        self.path = path
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    }

    deinit { close(descriptor) }

    /// Sends an entry without blocking.
    ///
    /// Returns `false` if the journal isn't running or can't accept the entry at the moment.
    func send(_ entry: [UInt8]) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
        return withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(descriptor, entry, entry.count, flags, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                    == entry.count
            }
        }
    }
}
