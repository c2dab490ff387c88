/// The network address of an accessory server: an IP address, an interface for link-local addresses, and a port.
public struct AccessoryEndpoint: Hashable, Sendable {
    /// The address in network byte order: 4 bytes for IPv4 or 16 for IPv6.
    public let address: [UInt8]
    /// The interface index of a link-local IPv6 address; 0 for all other addresses.
    public let scope: UInt32
    /// The TCP port.
    public let port: UInt16

    /// Creates an endpoint, or returns `nil` if the address or the port is invalid.
    ///
    /// - Parameters:
    ///   - address: 4 or 16 bytes in network byte order.
    ///   - scope: The interface index. Only link-local IPv6 addresses use it.
    ///   - port: The TCP port, 1 to 65535.
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
    /// The numeric address without its port: `10.0.0.5` or `fe80:0:0:0:0:0:0:1%2`.
    package var host: String {
        if isIPv4 { return address.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + (scope == 0 ? "" : "%\(scope)")
    }

    /// The endpoint as text: `10.0.0.5:8080` or `[fe80:0:0:0:0:0:0:1%2]:8080`.
    public var description: String { isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}

/// A byte connection to an accessory server.
///
/// Transports and tests implement it.
///
/// The caller requests each chunk of data, so an accessory that sends endlessly fills only its own buffers.
package protocol ByteConnection: Sendable {
    /// Appends bytes to the data to send.
    ///
    /// If the accessory doesn't read them for too long, the connection ends.
    func send(_ bytes: [UInt8])

    /// Returns the next bytes, at most tens of kilobytes, or `nil` when the connection has ended.
    ///
    /// Only one task may call this function at a time.
    func receive() async -> [UInt8]?

    /// Closes the connection immediately.
    ///
    /// A pending ``receive()`` returns `nil`.
    func close()
}

/// An error for an endpoint that refused the connection, has no route or didn't respond in time.
package struct Unreachable: Error, Equatable, Sendable {
    package init() {}
}

/// A way to connect to accessory servers.
package protocol AccessoryDialer: Sendable {
    /// Connects to an endpoint.
    ///
    /// If the task is canceled, the wait ends.
    ///
    /// - Returns: The connection, which the caller must close.
    /// - Throws: ``Unreachable``.
    func dial(_ endpoint: AccessoryEndpoint, within limit: Duration) async throws(Unreachable) -> any ByteConnection
}

/// The clock of an executor, which calls closures on that executor.
package protocol Scheduler: Sendable {
    /// The current time, independent of changes to the wall clock.
    var now: ContinuousClock.Instant { get }

    /// Calls `body` on the executor at the given time, or as soon as possible if that time has passed.
    func schedule(at time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void)
}
