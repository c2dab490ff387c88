import FoundationEssentials
import HomeModel

/// The files in `Tests/Fixtures`.
enum Fixture {
    static func bytes(_ path: String) throws -> [UInt8] {
        var tests = URL(filePath: #filePath)
        for _ in 0..<3 { tests.deleteLastPathComponent() }
        return [UInt8](try Data(contentsOf: tests.appending(path: "Fixtures/\(path)")))
    }

    static func lines(_ path: String) throws -> [[String]] {
        String(decoding: try bytes(path), as: UTF8.self).split(separator: "\n").map { line in
            line.split(separator: " ").map(String.init)
        }
    }

    static func zone(_ name: String) throws -> TimeZoneRules? { TimeZoneRules(file: try bytes("zoneinfo/\(name)")) }
}
