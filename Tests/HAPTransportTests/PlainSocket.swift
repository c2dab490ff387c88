import Glibc
import Testing

/// A passive peer, which never reads, and stays open after the other side has closed the connection.
final class PlainSocket: Sendable {
    private let descriptor: CInt

    /// Connects to a port on this host, or throws an error after 2 s.
    init(from source: String = "127.0.0.1", to port: Int) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        try #require(Self.call(bind, descriptor, source, 0) == 0)
        try #require(Self.call(connect, descriptor, "127.0.0.1", port) == 0, "not connected")
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    private static func call(
        _ function: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, _ descriptor: CInt, _ host: String, _ port: Int
    ) -> CInt {
        // The bytes are the family, the port and the address in network byte order. `sockaddr_in` isn't used, because
        // its module differs between builds: NIO's C modules also include its header.
        var address = withUnsafeBytes(of: sa_family_t(AF_INET)) { Array($0) }
        address += [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
        address += host.split(separator: ".").compactMap { UInt8($0) } + [UInt8](repeating: 0, count: 8)
        return address.withUnsafeBytes { bytes in
            function(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}

/// Returns the open sockets of this process with the given local or remote port.
func descriptors(at port: Int, ofPeer: Bool = false) -> [CInt] {
    (0..<CInt(min(getdtablesize(), 65536))).filter { descriptor in
        // The bytes are the family and the port in network byte order. Other types of sockets have other data at this
        // position.
        var address = [UInt8](repeating: 0, count: 128)
        var size = socklen_t(address.count)
        let isNamed = address.withUnsafeMutableBytes { bytes in
            let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return (ofPeer ? getpeername(descriptor, place, &size) : getsockname(descriptor, place, &size)) == 0
        }
        return isNamed && size >= 16 && Int(address[2]) << 8 | Int(address[3]) == port
    }
}

/// Returns whether a socket is listening.
func isListener(_ descriptor: CInt) -> Bool {
    var listens: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0
}
