import Glibc

/// Addresses as text.
enum IPAddressText {
    /// Whether a host is an IPv4 or IPv6 address rather than a name.
    static func isAddress(_ host: String) -> Bool {
        var v4 = in_addr()
        var v6 = in6_addr()
        return inet_pton(AF_INET, host, &v4) == 1 || inet_pton(AF_INET6, host, &v6) == 1
    }

    /// Whether an address, or the name `localhost`, is of this very computer.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (isAddress(host) && host.hasPrefix("127."))
    }
}
