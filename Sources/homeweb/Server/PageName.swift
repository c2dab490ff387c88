/// A name under which browsers open the page: a host name, or the address of a reverse proxy with its scheme.
struct PageName: Equatable, Sendable {
    /// The host in lower case.
    ///
    /// An IPv6 address has no brackets.
    let host: String
    /// The scheme, the host and the port, such as `https://home.example`, or `nil` if only the host is known.
    let origin: String?
    /// The host with its port, unless that is the scheme's default.
    let authority: String

    /// Parses `home.example` or `https://home.example:8443`.
    ///
    /// Returns `nil` for any other text.
    init?(_ text: String) {
        var text = text.lowercased()
        if text.hasSuffix("/") { text.removeLast() }
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let authority = parts.last, let host = Guard.hostName(authority),
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") })
        else { return nil }
        self.host = host
        self.authority = authority
        switch (parts.count, parts[0]) {
        case (1, _):
            guard host == authority || authority == "[\(host)]" else { return nil }
            origin = nil
        case (2, "http"), (2, "https"): origin = text
        default: return nil
        }
    }
}
