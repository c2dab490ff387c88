import Glibc

/// An IP address or a range of addresses, such as `10.0.0.0/8`.
struct IPNetwork: Equatable, Sendable {
    private let address: [UInt8]
    private let prefixLength: Int

    /// Parses an address with an optional prefix length.
    ///
    /// Returns `nil` if it isn't valid.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddressText.bytes(of: String(parts[0])) else { return nil }
        let unused = parts[0].contains(":") ? 0 : 96
        var prefixLength = 128
        if parts.count == 2 {
            guard let length = UInt8(parts[1]), Int(length) + unused <= 128 else { return nil }
            prefixLength = Int(length) + unused
        }
        self.address = address
        self.prefixLength = prefixLength
    }

    func contains(_ text: String) -> Bool {
        guard let other = IPAddressText.bytes(of: text) else { return false }
        let whole = prefixLength / 8
        guard address.prefix(whole) == other.prefix(whole) else { return false }
        let rest = prefixLength % 8
        return rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0
    }
}
