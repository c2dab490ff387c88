import FoundationEssentials
import NIOCore

/// The URL of a webhook.
///
/// Its path and query may contain secrets, so only ``host`` may appear in logs and errors.
struct WebhookURL: Equatable, Sendable {
    /// The reason why a text isn't a valid URL, without the text.
    struct Problem: Error, Equatable {
        let problem: String
        let remedy: String
    }

    /// A Boolean value that indicates whether the scheme is `https`.
    let isSecure: Bool
    /// A host name or a numeric address, without brackets.
    let host: String
    let port: Int
    /// The path and the query.
    let target: String

    /// Parses a URL.
    ///
    /// - Throws: ``Problem``.
    init(_ text: String) throws(Problem) {
        let example = "use a URL such as https://ntfy.example.org/our-house"
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text, encodingInvalidCharacters: false)
        else { throw Problem(problem: "not a valid URL", remedy: example) }
        switch parts.scheme?.lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw Problem(problem: "not a URL with http or https", remedy: example)
        }
        guard parts.percentEncodedUser == nil, parts.percentEncodedPassword == nil else {
            throw Problem(
                problem: "the URL contains a user or a password",
                remedy: "put Basic and the encoded login in the token-file, and add token-header: Authorization")
        }
        guard parts.percentEncodedFragment == nil else {
            throw Problem(problem: "the URL contains #", remedy: "remove # and the text after it")
        }
        let host = parts.percentEncodedHost ?? ""
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard !bare.isEmpty, bare.utf8.count <= 253,
            bare.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:".contains($0)) })
        else { throw Problem(problem: "not a valid host", remedy: example) }
        self.host = bare
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65535).contains(port) else { throw Problem(problem: "not a valid port", remedy: example) }
        let path = parts.percentEncodedPath
        target = (path.isEmpty ? "/" : path) + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    }

    /// The value of the `Host` header field.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The server name for TLS; `nil` if the host is a numeric address.
    var serverName: String? {
        (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
    }
}
