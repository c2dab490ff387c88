@preconcurrency import Dispatch
import Glibc
import Synchronization
import SystemKit

/// A UDP socket for IPv4.
///
/// It sends datagrams at once and queues received datagrams.
///
/// The queue holds at most ``capacity`` datagrams. Datagrams that don't fit or that are longer than ``longest`` are
/// dropped and counted. Callers must expect losses anyway, because a network may drop any datagram.
final class DatagramSocket: Sendable {
    struct Datagram: Sendable {
        let bytes: [UInt8]
        let source: IPv4Endpoint
    }

    struct Failure: Error {
        let text: String
    }

    static let capacity = 256
    static let longest = 4096

    private let descriptor: Int32
    private let reader: any DispatchSourceRead
    private let waiting = Mutex(Inbox())

    private struct Inbox {
        var datagrams: [Datagram] = []
        var dropped = 0
    }

    /// Opens a socket on all interfaces that can send broadcasts.
    ///
    /// Port 0 selects any free port. `notify` is called on another thread after datagrams arrive.
    ///
    /// - Throws: The system's error.
    convenience init(port: UInt16, notify: @escaping @Sendable () -> Void) throws(Failure) {
        try self.init(binding: IPv4Endpoint(address: 0, port: port), isShared: false, notify: notify)
    }

    /// Opens a socket that receives only the datagrams to a multicast group, which other programs can receive, too.
    ///
    /// It receives no datagrams before it joins the group.
    ///
    /// - Throws: The system's error.
    convenience init(group: IPv4Endpoint, notify: @escaping @Sendable () -> Void) throws(Failure) {
        try self.init(binding: group, isShared: true, notify: notify)
    }

    private init(
        binding endpoint: IPv4Endpoint, isShared: Bool, notify: @escaping @Sendable () -> Void
    ) throws(Failure) {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(text: SystemError.last.reason) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, socklen_t(MemoryLayout<Int32>.size))
        if isShared { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) }
        var address = sockaddr_in(endpoint)
        let bound = address.withPointer { bind(descriptor, $0, $1) }
        guard bound == 0 else {
            let text = SystemError.last.reason
            Glibc.close(descriptor)
            throw Failure(text: text)
        }
        self.descriptor = descriptor
        let queue = DispatchQueue(label: "datagrams")
        reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        reader.setEventHandler { [weak self] in
            if self?.receive() == true { notify() }
        }
        reader.setCancelHandler { [descriptor] in Glibc.close(descriptor) }
        reader.activate()
    }

    deinit { reader.cancel() }

    var port: UInt16 {
        var address = sockaddr_in()
        _ = address.withPointer { pointer, length in
            var length = length
            return getsockname(descriptor, pointer, &length)
        }
        return IPv4Endpoint(address).port
    }

    /// Joins a multicast group on the interface with the given address.
    ///
    /// Failures are ignored. For example, the group may have been joined before.
    func join(_ group: IPv4Endpoint, over interface: UInt32) {
        var request = ip_mreq(
            imr_multiaddr: in_addr(s_addr: group.address.bigEndian),
            imr_interface: in_addr(s_addr: interface.bigEndian))
        setsockopt(descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, socklen_t(MemoryLayout<ip_mreq>.size))
    }

    /// Returns and removes all received datagrams, oldest first.
    func takeDatagrams() -> [Datagram] {
        waiting.withLock { waiting in
            defer { waiting.datagrams.removeAll() }
            return waiting.datagrams
        }
    }

    func takeDropped() -> Int {
        waiting.withLock { waiting in
            defer { waiting.dropped = 0 }
            return waiting.dropped
        }
    }

    /// Sends a datagram.
    ///
    /// For a multicast group, `interface` is the address of the interface to use.
    ///
    /// The datagram may get lost without an error.
    ///
    /// - Throws: The system's error.
    func send(_ bytes: [UInt8], to endpoint: IPv4Endpoint, over interface: UInt32? = nil) throws(Failure) {
        if let interface {
            var option = in_addr(s_addr: interface.bigEndian)
            setsockopt(
                descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &option, socklen_t(MemoryLayout<in_addr>.size))
        }
        var address = sockaddr_in(endpoint)
        let sent = address.withPointer { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
        guard sent >= 0 else { throw Failure(text: SystemError.last.reason) }
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.longest)
        var arrived: [Datagram] = []
        var tooLong = 0
        // Read in batches, so that a flood doesn't delay delivery.
        for _ in 0..<64 {
            var source = sockaddr_in()
            let count = source.withPointer { address, length in
                var length = length
                return recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_TRUNC), address, &length)
            }
            // The kernel reports the failure of a datagram once, in the next call.
            if count < 0, errno == ECONNREFUSED || errno == EINTR { continue }
            guard count >= 0 else { break }
            guard count <= Self.longest else {
                tooLong += 1
                continue
            }
            arrived.append(Datagram(bytes: Array(buffer.prefix(count)), source: IPv4Endpoint(source)))
        }
        waiting.withLock { waiting in
            let taken = arrived.prefix(Self.capacity - waiting.datagrams.count)
            waiting.datagrams.append(contentsOf: taken)
            waiting.dropped += tooLong + arrived.count - taken.count
        }
        return !arrived.isEmpty || tooLong > 0
    }
}

extension sockaddr_in {
    fileprivate init(_ endpoint: IPv4Endpoint) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = endpoint.port.bigEndian
        sin_addr.s_addr = endpoint.address.bigEndian
    }

    fileprivate mutating func withPointer<Value>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Value) -> Value
    {
        withUnsafeMutablePointer(to: &self) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}

extension IPv4Endpoint {
    fileprivate init(_ address: sockaddr_in) {
        self.init(address: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
    }
}
