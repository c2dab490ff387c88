import ConfigurationKit
import HAPModel
import HAPProtocol
import SystemKit
import TerminalKit

/// The `bridge.ownership` section: the token that controllers need to pair with the bridge.
struct OwnershipSection: Decodable, Equatable, Sendable {
    /// The identifier of the vendor whose app can obtain the token.
    ///
    /// The bridge advertises it.
    var vendor: String
    /// The path of the file that contains the token in hexadecimal digits.
    var tokenFile: String

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case vendor
        case tokenFile = "token-file"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        vendor = try container.decode(String.self, forKey: .vendor)
        guard OwnershipRequirement.isVendor(vendor) else {
            throw ConfigurationProblem(
                "not a valid vendor id", remedy: "use 1 to 64 ASCII characters, such as org.example.lamps",
                at: container.codingPath + [CodingKeys.vendor])
        }
        tokenFile = try container.decode(String.self, forKey: .tokenFile)
        guard !tokenFile.isEmpty, !tokenFile.utf8.contains(0) else {
            throw ConfigurationProblem(
                "not a file", remedy: "use the path of a file with the token",
                at: container.codingPath + [CodingKeys.tokenFile])
        }
    }

    /// Reads the token from its file.
    ///
    /// - Returns: The requirement for pairing.
    /// - Throws: ``OwnershipTokenError``. A bridge without its token must not start, because it would pair with
    ///   unauthorized controllers.
    func requirement() throws(OwnershipTokenError) -> OwnershipRequirement {
        let text: String
        do throws(SecretFile.Problem) {
            text = try SecretFile(tokenFile, key: "bridge.ownership.token-file", of: "token").read()
        } catch {
            throw OwnershipTokenError(description: error.text.sanitized)
        }
        guard let token = Hex.decode(text), let requirement = OwnershipRequirement(vendor: vendor, token: token) else {
            throw OwnershipTokenError(
                description:
                    "bridge.ownership.token-file \(tokenFile) has no token; put 32 to 1024 hexadecimal digits in it"
                    .sanitized)
        }
        return requirement
    }
}

/// An error that prevents reading the ownership token.
///
/// Its description contains the file's path and the remedy, but never the file's contents.
struct OwnershipTokenError: ErrorWithExitCode, Equatable {
    let description: String
    var exitCode: ExitCode { .configuration }
}
