import ConfigurationKit
import DaemonKit
import HAPModel
import HAPProtocol
import LightDrivers
import SystemKit
import TerminalKit

/// The `bridge.ownership` section: whose token controllers must show before the bridge pairs with them.
struct OwnershipSection: Decodable, Equatable, Sendable {
    /// Whose app can come by the token; advertised.
    var vendor: String
    /// The file that holds the token, in hexadecimal digits.
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
                "this is no vendor's id", remedy: "write 1 to 64 characters of ASCII, for example org.example.lamps",
                at: container.codingPath + [CodingKeys.vendor])
        }
        tokenFile = try container.decode(String.self, forKey: .tokenFile)
        guard !tokenFile.isEmpty, !tokenFile.utf8.contains(0) else {
            throw ConfigurationProblem(
                "this is no file", remedy: "write the path of a file that holds the token",
                at: container.codingPath + [CodingKeys.tokenFile])
        }
    }

    /// Reads the token.
    ///
    /// - Throws: ``OwnershipTokenError``. A bridge whose token cannot be had does not start: without it, it would let in
    ///   those whom it is to keep out.
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
                    "bridge.ownership.token-file \(tokenFile) holds no token; write 32 to 1024 hexadecimal digits"
                    .sanitized)
        }
        return requirement
    }
}

/// Why the ownership token cannot be had: names the file and what to do, and nothing that stands in it.
struct OwnershipTokenError: ErrorWithExitCode, Equatable {
    let description: String
    var exitCode: ExitCode { .configuration }
}
