import DaemonKit
import FoundationEssentials
import HAPProtocol
import SystemKit
import Testing
import YAMLKit

@testable import lamplighterd

@Suite("OwnershipToken")
struct OwnershipTokenTests {
    private let path: String

    init() { path = FileManager.default.temporaryDirectory.path + "/ownership-\(UUID().uuidString)" }

    private func requirement(_ content: String?, mode: Int = 0o640) throws -> OwnershipRequirement {
        defer { try? FileManager.default.removeItem(atPath: path) }
        if let content {
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: mode])
        }
        let text = "{vendor: org.example.lamps, token-file: \"\(path)\"}"
        let section = try StrictYAML.decode(OwnershipSection.self, from: Array(text.utf8), file: "f")
        return try section.requirement()
    }

    private static let digits = "00112233445566778899aAbBcCdDeEfF"

    @Test("reads hexadecimal digits from the first line")
    func reads() throws {
        let token = (0..<16).map { UInt8($0 * 0x11) }
        let expected = try #require(OwnershipRequirement(vendor: "org.example.lamps", token: token))
        for content in [Self.digits, Self.digits + "\n", Self.digits + "\r\nfor the lamps of 2026\n"] {
            #expect(try requirement(content) == expected)
        }
        let longest = try requirement(String(repeating: "ab", count: 512))
        #expect(
            longest
                == OwnershipRequirement(vendor: "org.example.lamps", token: [UInt8](repeating: 0xAB, count: 512)))
    }

    @Test(
        "rejects an invalid token without quoting it",
        arguments: [
            "", "\n", String(digits.dropLast()), String(digits.dropLast(2)), digits + "0", digits + " ",
            "0x" + digits, String(digits.dropLast(2)) + "é", String(digits.dropLast(2)) + "０１",
            String(repeating: "ab", count: 513), String(repeating: "a", count: 5000),
        ])
    func refused(_ content: String) throws {
        let error = try #require(throws: OwnershipTokenError.self) { try requirement(content) }
        #expect(error.description.hasPrefix("bridge.ownership.token-file \(path) "))
        #expect(error.description.contains("; put 32 to 1024") || error.description.contains("token"))
        #expect(!error.description.contains("0112233") && !error.description.contains("abab"))
        #expect(ExitCode(error) == .configuration)
    }

    @Test("rejects a missing file and a file that others can read, with a remedy")
    func unusable() throws {
        var error = try #require(throws: OwnershipTokenError.self) { try requirement(nil) }
        #expect(error.description.contains("can't be read"))
        error = try #require(throws: OwnershipTokenError.self) { try requirement(Self.digits, mode: 0o644) }
        #expect(error.description.contains("chmod o="))
    }
}
