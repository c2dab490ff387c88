import Glibc
import NIOCore

extension SocketAddress {
    /// Creates an address that is reached through an interface.
    ///
    /// Link-local and multicast IPv6 addresses require it as their scope.
    init?(_ ip: String, _ port: Int, on interface: String) {
        // Only interface names are resolved, so this sends no query.
        let bytes = Self.packed(ip)
        let isOfLink = bytes.count == 16 && (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 || bytes[0] == 0xFF)
        let address =
            isOfLink
            ? try? SocketAddress.makeAddressResolvingHost("\(ip)%\(interface)", port: port)
            : try? SocketAddress(ipAddress: ip, port: port)
        guard let address else { return nil }
        self = address
    }

    /// Returns the bytes of an IP address: four or sixteen, or none if the text isn't an address.
    static func packed(_ ip: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, ip, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, ip, &bytes) == 1 ? bytes : []
    }
}
