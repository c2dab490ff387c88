/// The IP address of a peer, as far as one peer is told from another by it.
package struct PeerAddress: Hashable, Sendable {
    /// An IPv6 address, or an IPv4 address within ::ffff:0:0/96, as two halves.
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes an address of 4 bytes of IPv4 or 16 of IPv6, in network order; of any other number it is `nil`.
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

    /// No address that a peer can have, for connections without a network.
    package static let none = PeerAddress(high: 0, low: 0)

    private static let mapped: UInt64 = 0xFFFF_0000_0000

    /// The /64 that an IPv6 address lies in, of which one host can use every address; `nil` for IPv4.
    package var network: PeerAddress? {
        high == 0 && low >> 32 == Self.mapped >> 32 ? nil : PeerAddress(high: high, low: 0)
    }
}
