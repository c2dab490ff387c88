import ConfigurationKit

/// The `notify-webhook` section: a URL that receives the messages of automations.
struct WebhookSection: Decodable, Equatable, Sendable {
    /// The URL, or the file that contains it.
    enum Address: Equatable, Sendable {
        case url(WebhookURL)
        /// A file with the URL.
        case file(String)
    }

    var address: Address
    /// The file with the token.
    var tokenFile: String?
    /// The header field that contains the token; `nil` for `Authorization: Bearer`.
    var tokenHeader: String?
    /// The file with the certificates of trusted authorities; `nil` for the system's certificates.
    var caFile: String?
    var body: WebhookBody

    private enum CodingKeys: String, CodingKey, CaseIterable, RemediedKeys {
        case url, body
        case urlFile = "url-file"
        case tokenFile = "token-file"
        case tokenHeader = "token-header"
        case caFile = "ca-file"

        static let remedies = [
            "url": "add url: https://HOST/PATH",
            "token": "add token-file: /etc/homehub/webhook.token, and put the token in that file",
            "password": "add token-file: /etc/homehub/webhook.token, and put the password in that file",
            "header": "add token-header: NAME, and put its value in the file named by token-file",
            "headers": "add token-header: NAME, and put its value in the file named by token-file",
        ]
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func file(_ key: CodingKeys) throws -> String? {
            guard let path = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
            guard path.hasPrefix("/") else {
                throw ConfigurationProblem(
                    "not an absolute path", remedy: "use an absolute path, such as /etc/homehub/webhook", forKey: key,
                    in: container)
            }
            return path
        }
        if let path = try file(.urlFile) {
            guard !container.contains(.url) else {
                throw ConfigurationProblem(
                    "url and url-file can't be used together", remedy: "remove one", forKey: .urlFile, in: container)
            }
            address = .file(path)
        } else {
            let text = try container.decode(String.self, forKey: .url)
            do throws(WebhookURL.Problem) {
                address = .url(try WebhookURL(text))
            } catch {
                throw ConfigurationProblem(error.problem, remedy: error.remedy, forKey: .url, in: container)
            }
        }
        tokenFile = try file(.tokenFile)
        caFile = try file(.caFile)
        tokenHeader = try container.decodeIfPresent(String.self, forKey: .tokenHeader)
        if let tokenHeader {
            guard tokenFile != nil else {
                throw ConfigurationProblem(
                    "token-header requires token-file", remedy: "add token-file:", forKey: .tokenHeader, in: container)
            }
            guard (1...64).contains(tokenHeader.utf8.count),
                tokenHeader.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }),
                !["host", "content-length", "content-type", "transfer-encoding", "connection", "user-agent"]
                    .contains(tokenHeader.lowercased())
            else {
                throw ConfigurationProblem(
                    "not a valid header for a token", remedy: "use a name such as X-Gotify-Key", forKey: .tokenHeader,
                    in: container)
            }
        }
        body = try container.decodeIfPresent(WebhookBody.self, forKey: .body) ?? .standard
    }
}
