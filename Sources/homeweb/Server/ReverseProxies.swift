import HTTPTypes

/// The reverse proxies in front of the page, from `--behind-proxy`.
struct ReverseProxies: Sendable {
    /// A browser that connects through a proxy.
    struct Client: Equatable, Sendable {
        var address: String
        /// Whether the browser uses HTTPS, or `nil` if the proxy doesn't report it.
        var isEncrypted: Bool?
    }

    let networks: [IPNetwork]

    func contains(_ address: String) -> Bool { networks.contains { $0.contains(address) } }

    /// Returns the client of a request from one of these proxies, or the proxy itself if the headers don't contain a
    /// client.
    ///
    /// The client is the rightmost hop that isn't one of these proxies, because the client itself may have written the
    /// hops to the left. A proxy sets either `X-Forwarded-For` or `Forwarded` (RFC 7239) and passes the other header
    /// through. If both headers exist and differ, the client has written one of them, and the request is attributed to
    /// the proxy.
    func client(of proxy: String, _ headers: HTTPFields) -> Client {
        let plain = plainHops(headers)
        let standard = standardHops(headers)
        guard !plain.isEmpty, !standard.isEmpty else {
            return client(of: proxy, plain + standard) ?? Client(address: proxy, isEncrypted: scheme(headers))
        }
        guard let client = client(of: proxy, plain), client.address == self.client(of: proxy, standard)?.address else {
            return Client(address: proxy, isEncrypted: scheme(headers))
        }
        return client
    }

    private typealias Hop = (address: String?, scheme: String?)

    private func client(of proxy: String, _ hops: [Hop]) -> Client? {
        guard !hops.isEmpty else { return nil }
        var client = Client(address: proxy)
        for hop in hops.reversed() {
            guard let address = hop.address else { break }
            client.address = address
            client.isEncrypted = hop.scheme.flatMap(Self.isEncrypted) ?? client.isEncrypted
            if !contains(address) { break }
        }
        return client
    }

    private func scheme(_ headers: HTTPFields) -> Bool? {
        headers[Self.forwardedProto]?.split(separator: ",").last.flatMap { Self.isEncrypted(String($0)) }
    }

    private static func isEncrypted(_ scheme: String) -> Bool? {
        switch scheme.trimmed.lowercased() {
        case "https", "wss": true
        case "http", "ws": false
        default: nil
        }
    }

    // MARK: Headers

    /// Returns the hops of `X-Forwarded-For`.
    ///
    /// The schemes of `X-Forwarded-Proto` belong to the last hops.
    private func plainHops(_ headers: HTTPFields) -> [Hop] {
        let addresses = Self.elements(of: headers[values: Self.forwardedFor])
        let schemes = Self.elements(of: headers[values: Self.forwardedProto])
        return addresses.enumerated().map { index, address in
            let at = schemes.count - (addresses.count - index)
            return (Self.address(address), schemes.isEmpty ? nil : schemes[max(at, 0)])
        }
    }

    /// Returns the hops of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`.
    private func standardHops(_ headers: HTTPFields) -> [Hop] {
        Self.elements(of: headers[values: Self.forwarded]).map { element in
            var hop: Hop = (nil, nil)
            for pair in element.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
                guard parts.count == 2 else { continue }
                let value = parts[1].filter { $0 != "\"" }
                switch parts[0].lowercased() {
                case "for": hop.address = Self.address(value)
                case "proto": hop.scheme = value
                default: break
                }
            }
            return hop
        }
    }

    private static func elements(of values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { String($0).trimmed }
    }

    /// Returns the address of `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
    private static func address(_ text: String) -> String? {
        if IPAddressText.isAddress(text) { return text }
        return Guard.hostName(text).flatMap { IPAddressText.isAddress($0) ? $0 : nil }
    }

    // MARK: Requests from other proxies

    /// The headers that a reverse proxy adds to requests.
    private static let names = [
        "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto",
        "X-Forwarded-Server", "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP",
    ].compactMap { HTTPField.Name($0) }

    /// Returns whether a request shows that it went through a proxy.
    ///
    /// Browsers don't close their connection after each request. nginx before 1.29.7 does unless configured otherwise.
    static func hasForwarded(_ headers: HTTPFields) -> Bool {
        names.contains { headers[$0] != nil } || headers[.connection]?.lowercased() == "close"
    }

    private static let forwarded = Guard.name("Forwarded")
    private static let forwardedFor = Guard.name("X-Forwarded-For")
    private static let forwardedProto = Guard.name("X-Forwarded-Proto")
}
