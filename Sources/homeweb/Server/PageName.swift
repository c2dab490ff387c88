/// A name of the page: a host name, or its whole address behind a reverse proxy.
struct PageName: Equatable, Sendable {
    /// The host in lower case, an IPv6 address without its brackets.
    let host: String
    /// The scheme, the host and the port, such as `https://home.example`; `nil` if only the host is known.
    let origin: String?
    /// The host with its port, unless that is the scheme's.
    let authority: String

    /// Parses `home.example` or `https://home.example:8443`; `nil` if it is neither.
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
