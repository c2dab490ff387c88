import Glibc
import NIOCore

extension SocketAddress {
    /// Creates an address from its text, a port, and the interface through which it is reached.
    ///
    /// Link-local and multicast IPv6 addresses require the interface as their scope.
    init?(_ ip: String, _ port: Int, on interface: String) {
        // Despite its name, `makeAddressResolvingHost` sends no DNS query here, because it only has to resolve the
        // interface's name.
        let bytes = Self.packed(ip)
        let isOfLink = bytes.count == 16 && (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 || bytes[0] == 0xFF)
        let address =
            isOfLink
            ? try? SocketAddress.makeAddressResolvingHost("\(ip)%\(interface)", port: port)
            : try? SocketAddress(ipAddress: ip, port: port)
        guard let address else { return nil }
        self = address
    }

    /// Returns the 4 or 16 bytes of an IP address, or an empty array if the text isn't an address.
    static func packed(_ ip: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, ip, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, ip, &bytes) == 1 ? bytes : []
    }
}
