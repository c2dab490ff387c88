import Glibc
import NIOCore
import SystemKit

/// The other end of a connection over the loopback interface.
enum LoopbackPeer {
    /// The maximum number of bytes to read from one of the kernel's tables, enough for 90,000 sockets.
    private static let limit = 16 << 20

    /// Returns the user whose process opened a connection, or `nil` if the kernel doesn't know it.
    static func user(of peer: SocketAddress, connectedTo own: SocketAddress) -> uid_t? {
        for (path, isIPv6) in [("/proc/net/tcp", false), ("/proc/net/tcp6", true)] {
            guard let local = entry(peer, isIPv6), let remote = entry(own, isIPv6) else { continue }
            if let user = user(ofSocket: "\(local) \(remote)", in: table(path)) { return user }
        }
        return nil
    }

    private static func table(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return (try? OpenFile(file).read(limit: limit)) ?? []
    }

    /// Returns the owner of an established socket from the text of `/proc/net/tcp` (proc_net(5)).
    ///
    /// Returns `nil` for a socket that its process has closed, because the kernel reports root as the owner of such a
    /// socket.
    static func user(ofSocket addresses: String, in table: [UInt8]) -> uid_t? {
        let isEstablished = "01"
        let needle = " \(addresses) \(isEstablished) "
        let line = (table + [0]).withUnsafeBytes { table -> String? in
            guard let text = table.baseAddress?.assumingMemoryBound(to: CChar.self),
                let found = strstr(text, needle)
            else { return nil }
            let rest = UnsafeRawBufferPointer(rebasing: table[(found - UnsafeMutablePointer(mutating: text))...])
            return String(
                decoding: rest.prefix { $0 != UInt8(ascii: "\n") }.dropFirst(needle.utf8.count), as: UTF8.self)
        }
        guard let line else { return nil }
        // Queues, timer, retransmits, user, time-out, inode.
        let fields = line.split(separator: " ")
        guard fields.count > 5, fields[5] != "0" else { return nil }
        return uid_t(fields[3])
    }

    /// Returns an address in the format of the kernel's tables: hexadecimal words in host byte order.
    static func entry(_ address: SocketAddress, _ isIPv6: Bool) -> String? {
        guard let text = address.ipAddress, let port = address.port, let bytes = IPAddressText.bytes(of: text) else {
            return nil
        }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF
        guard isIPv6 || isMapped else { return nil }
        let words = stride(from: isIPv6 ? 0 : 12, to: 16, by: 4).map { at in
            hexadecimal(bytes[at..<(at + 4)].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }, digits: 8)
        }
        return words.joined() + ":" + hexadecimal(UInt32(port), digits: 4)
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
