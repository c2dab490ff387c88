import BoundedJSON
import FoundationEssentials
import HAPTesting
import TestTimeouts
import Testing

@testable import fuzz

/// Runs the targets of `make fuzz`, bounded and without libFuzzer; a broken promise ends the test run.
@Suite("Fuzz targets", .timeout)
struct FuzzTests {
    @Test("seeds and findings keep every promise", arguments: FuzzTarget.all.map(\.name))
    func seeds(name: String) async throws {
        let target = try #require(FuzzTarget(named: name))
        let inputs = try Fixture.inputs(of: name)
        #expect(!inputs.isEmpty)
        for input in inputs { await target.run(input) }
    }

    @Test("mutated seeds keep every promise", arguments: FuzzTarget.all.map(\.name))
    func mutations(name: String) async throws {
        let target = try #require(FuzzTarget(named: name))
        let inputs = try Fixture.inputs(of: name).filter { $0.count <= 2048 }
        var random = SeededNumbers(seed: 1)
        for _ in 0..<200 {
            guard var input = inputs.randomElement(using: &random) else { break }
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&input, with: inputs, &random) }
            await target.run(input)
        }
    }

    @Test("every target has its file, and every file its target")
    func files() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Fixture.directory.path)
        #expect(files.sorted() == FuzzTarget.all.map { "\($0.name).txt" }.sorted())
    }

    private func mutate(_ input: inout [UInt8], with others: [[UInt8]], _ random: inout SeededNumbers) {
        guard let index = input.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: input[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: input.removeSubrange(index..<Int.random(in: index...input.count, using: &random))
        case 2: input.insert(contentsOf: random.bytes(count: 1), at: index)
        case 3: input.insert(contentsOf: input[index..<min(index + 64, input.count)], at: index)
        default: input = Array(input[..<index]) + (others.randomElement(using: &random) ?? []).suffix(256)
        }
    }
}

/// The inputs in the fixtures.
///
/// In the files of `Tests/Fixtures/Fuzz`, a line is a text in JSON, bytes in hex, `@FILE` for a file of this
/// repository, or `@FILE hex` for all hex in a JSON file. Lines that start with `#` are comments.
private enum Fixture {
    struct BadLine: Error {
        let line: String
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let directory = root.appending(path: "Tests/Fixtures/Fuzz")

    static func inputs(of target: String) throws -> [[UInt8]] {
        let text = try String(contentsOf: directory.appending(path: "\(target).txt"), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.flatMap {
            try inputs(in: String($0))
        }
    }

    private static func inputs(in line: String) throws -> [[UInt8]] {
        if line.hasPrefix("@") {
            let words = line.dropFirst().split(separator: " ").map { String($0) }
            guard words.last != "hex" else {
                return strings(in: try Vectors.repositoryFile(words[0])).compactMap { [UInt8](hex: $0) }
            }
            return [Array(try Data(contentsOf: root.appending(path: words[0])))]
        }
        if line.hasPrefix("\"") {
            guard let text = try JSONValue(parsing: line).string else { throw BadLine(line: line) }
            return [Array(text.utf8)]
        }
        guard let bytes = [UInt8](hex: line) else { throw BadLine(line: line) }
        return [bytes]
    }

    private static func strings(in json: JSONValue) -> [String] {
        switch json {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(strings)
        case .object(let object): object.members.flatMap { strings(in: $0.value) }
        case .null, .bool, .integer, .unsigned, .number: []
        }
    }
}
