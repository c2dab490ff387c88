/// The IP address of a peer, used to distinguish peers.
package struct PeerAddress: Hashable, Sendable {
    /// The two halves of an IPv6 address; an IPv4 address is mapped to ::ffff:0:0/96.
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an address from 4 bytes for IPv4 or 16 for IPv6 in network byte order, or returns `nil` for other
    /// lengths.
    package init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.init(high: 0, low: Self.mapped | Self.number(bytes[...]))
        case 16: self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.dropFirst(8)))
        default: return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A placeholder for connections without a network; no peer has this address.
    package static let none = PeerAddress(high: 0, low: 0)

    private static let mapped: UInt64 = 0xFFFF_0000_0000

    /// The /64 network of an IPv6 address, or `nil` for IPv4.
    ///
    /// One host can use every address in such a network.
    package var network: PeerAddress? {
        high == 0 && low >> 32 == Self.mapped >> 32 ? nil : PeerAddress(high: high, low: 0)
    }
}
