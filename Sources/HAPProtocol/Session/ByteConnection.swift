/// Where an accessory server may be reached: an IP address, with its interface where it needs one, and a port.
public struct AccessoryEndpoint: Hashable, Sendable {
    /// In network order: 4 bytes of IPv4 or 16 of IPv6.
    public let address: [UInt8]
    /// The index of the interface of a link-local IPv6 address; 0 for all others.
    public let scope: UInt32
    /// The TCP port.
    public let port: UInt16

    /// Makes an endpoint.
    ///
    /// - Parameters:
    ///   - address: 4 or 16 bytes, or the result is `nil`.
    ///   - scope: the interface's index; used for link-local IPv6 addresses only.
    ///   - port: the TCP port, or `nil` for 0.
    public init?(address: [UInt8], scope: UInt32 = 0, port: UInt16) {
        guard address.count == 4 || address.count == 16, port > 0 else { return nil }
        self.address = address
        self.port = port
        // Link-local addresses, fe80::/10, exist on each interface.
        self.scope = address.count == 16 && address[0] == 0xFE && address[1] & 0xC0 == 0x80 ? scope : 0
    }

    package var isIPv4: Bool { address.count == 4 }
}

extension AccessoryEndpoint: CustomStringConvertible {
    /// The address without its port, in numbers: `10.0.0.5` or `fe80:0:0:0:0:0:0:1%2`.
    package var host: String {
        if isIPv4 { return address.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + (scope == 0 ? "" : "%\(scope)")
    }

    /// As it is written, `10.0.0.5:8080` or `[fe80:0:0:0:0:0:0:1%2]:8080`.
    public var description: String { isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}

/// A connection to an accessory server, as its bytes: what a transport and the tests implement.
///
/// Bytes are taken one piece at a time, so an accessory that sends without end fills its own buffers, not ours.
package protocol ByteConnection: Sendable {
    /// Sends bytes, after those that were sent before; an accessory that takes none for too long loses the connection.
    func send(_ bytes: [UInt8])

    /// The next bytes that come, at most a few ten thousand, or `nil` when the connection has ended; called by one task.
    func receive() async -> [UInt8]?

    /// Ends the connection at once; whoever waits in ``receive()`` gets `nil`.
    func close()
}

/// No connection could be made to an endpoint: refused, without a route, or without an answer in time.
package struct Unreachable: Error, Equatable, Sendable {
    package init() {}
}

/// A way to connect to accessory servers.
package protocol AccessoryDialer: Sendable {
    /// Connects; a canceled caller doesn't wait.
    ///
    /// - Returns: the connection, which its caller closes.
    /// - Throws: ``Unreachable``.
    func dial(_ endpoint: AccessoryEndpoint, within limit: Duration) async throws(Unreachable) -> any ByteConnection
}

/// The clock of an executor: tells the time and calls back at a time, always on that executor.
package protocol Scheduler: Sendable {
    /// Now, on a clock that no change of the wall clock moves.
    var now: ContinuousClock.Instant { get }

    /// Calls `body` on the executor at a time, or as soon as possible if it has passed.
    func schedule(at time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void)
}
