import DeviceKit
import FoundationEssentials
import HAPTesting
import Logging
import NewDriver
import TestTimeouts
import Testing

@Suite("The driver example", .timeout)
struct FileLightTests {
    /// A temporary file.
    private final class File: Sendable {
        let url = FileManager.default.temporaryDirectory.appending(path: "light-\(UUID().uuidString)")
        var light: LightID { LightID(url.path()) }

        init(_ text: String) throws { try write(text) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ text: String) throws { try Data(text.utf8).write(to: url) }
        func remove() throws { try FileManager.default.removeItem(at: url) }
        var text: String { get throws { String(decoding: try Data(contentsOf: url), as: UTF8.self) } }

        func driver() throws -> any LightDriver {
            let keys = try JSONEncoder().encode(["path": url.path()])
            return try JSONDecoder().decode(FileLightConfiguration.self, from: keys)
                .makeDriver(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
    }

    @Test("refuses a relative path with a remedy")
    func relativePath() throws {
        let error = try #require(throws: ConfigurationProblem.self) {
            try JSONDecoder().decode(FileLightConfiguration.self, from: Data(#"{"path": "lamp"}"#.utf8))
        }
        #expect(
            error.description == "not an absolute path; use /PATH" && error.codingPath.last?.stringValue == "path")
    }

    @Test("keeps the driver contract")
    func contract() async throws {
        let file = try File("0\n")
        #expect(try await DriverContract(goodLight: file.light) { try file.driver() }.violations() == [])
    }

    @Test("writes commands, and reports changes by others")
    func bothWays() async throws {
        let file = try File("0\n")
        let (driver, host) = (try file.driver(), RecordingLightHost())
        let running = Task { try await driver.run(host: host) }
        defer { running.cancel() }
        try #require(await host.wait(for: file.light) { $0.reachable == true && $0.on == false })
        try await driver.apply(LightCommand(on: true), to: file.light)
        #expect(try file.text == "1")
        try file.write("0\n")
        #expect(await host.wait(for: file.light) { $0.on == false })
        try file.remove()
        #expect(await host.wait(for: file.light) { $0.reachable == false })
        await #expect(throws: LightError.unreachable) { try await driver.apply(LightCommand(on: true), to: file.light) }
    }
}
