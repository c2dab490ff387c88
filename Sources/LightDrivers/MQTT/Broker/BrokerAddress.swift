/// A broker's address.
///
/// It is written as `mqtt://host[:port]` or `mqtts://host[:port]`; an IPv6 address is in brackets.
package struct BrokerAddress: Equatable, Sendable, CustomStringConvertible {
    /// The host's name or address, without brackets.
    package let host: String
    package let port: UInt16
    package let tls: Bool

    /// The reason why a string isn't a valid broker URL, and the remedy.
    ///
    /// It never includes the rejected string, which may contain a password.
    package struct Problem: Error, Equatable, Sendable {
        package let problem: String
        package let remedy: String

        fileprivate init(_ problem: String, remedy: String) {
            self.problem = problem
            self.remedy = remedy
        }
    }

    /// Parses a URL.
    ///
    /// - Throws: ``Problem`` if the URL is invalid, or contains a user or a password.
    package init(_ text: String) throws(Problem) {
        var rest: Substring
        if text.hasPrefix("mqtt://") {
            tls = false
            rest = text.dropFirst("mqtt://".count)
        } else if text.hasPrefix("mqtts://") {
            tls = true
            rest = text.dropFirst("mqtts://".count)
        } else {
            throw Problem("not the URL of a broker", remedy: "use mqtt://HOST:PORT, or mqtts://HOST:PORT for TLS")
        }
        if let at = rest.lastIndex(of: "@") {
            throw rest[..<at].contains(":")
                ? Problem("the URL can't contain a password", remedy: "set user and password-file instead")
                : Problem("the URL can't contain a user", remedy: "set user instead")
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains(where: { $0 == "/" || $0 == "?" || $0 == "#" }) else {
            throw Problem("the broker's URL has text after the port", remedy: "remove that text")
        }
        let port: Substring?
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else {
                throw Problem("the IPv6 address has no closing bracket", remedy: "use mqtt://[ADDRESS]:PORT")
            }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            let after = rest[rest.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else {
                throw Problem("not the URL of a broker", remedy: "use mqtt://[ADDRESS]:PORT")
            }
            port = after.isEmpty ? nil : after.dropFirst()
        } else {
            let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else {
                throw Problem("an IPv6 address needs brackets", remedy: "use mqtt://[ADDRESS]:PORT")
            }
            host = String(parts.first ?? "")
            port = parts.count == 2 ? parts[1] : nil
        }
        guard (1...255).contains(host.utf8.count), host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem("the broker's host is missing or not valid", remedy: "use mqtt://HOST:PORT")
        }
        if let port {
            guard let number = UInt16(port), number > 0, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw Problem("not a valid port", remedy: "use a number from 1 to 65535 after the colon")
            }
            self.port = number
        } else {
            self.port = tls ? 8883 : 1883
        }
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
