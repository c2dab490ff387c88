import BoundedJSON
import DeviceKit
import FoundationEssentials
import HAPTesting
import Logging
import TestTimeouts
import Testing

@testable import LightPlugins

@Suite("PluginContract", .timeout)
struct PluginContractTests {
    private func checks(_ command: [String], config: JSONValue = [:], hello: Duration = .seconds(15)) async throws
        -> [PluginContract.Check]
    {
        let folder = try PluginProgram.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var timing = PluginTiming()
        timing.hello = hello
        if hello < .seconds(15) { timing.answer = hello }
        let command = command.map { $0.replacing("FOLDER", with: folder) }
        let contract = PluginContract(
            PluginProcess.Program(command: command), config: config, stateDirectory: folder, timing: timing,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return await contract.run()
    }

    @Test("is met by the example plugins", arguments: [["lamp.sh", "FOLDER/lamp"], ["lamps.py"], ["fan.py"]])
    func examples(command: [String]) async throws {
        let checks = try await checks(["\(PluginProgram.examples)/\(command[0])"] + command.dropFirst())
        #expect(checks.filter { $0.outcome != .passed } == [])
        #expect(checks.count == 15)
    }

    @Test("isn't met by a plugin of version 2 that sends undescribed values or doesn't apply requested values")
    func version2() async throws {
        let folder = try PluginProgram.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let fan = try String(contentsOfFile: "\(PluginProgram.examples)/fan.py", encoding: .utf8)
        let broken = fan.replacing("values.update", with: "values.copy().update")
            .replacing("\"CurrentTemperature\": temp", with: "\"CurrentRelativeHumidity\": temp")
        try broken.write(toFile: "\(folder)/fan.py", atomically: true, encoding: .utf8)
        let failed = try await checks(["/usr/bin/env", "python3", "\(folder)/fan.py"], hello: .seconds(2))
            .filter { $0.outcome == .failed }
        #expect(
            failed.map(\.name) == [
                "reports its lights, and each light before its state",
                "answers devices/set and reports the new state",
            ])
        #expect(failed.first?.remedy?.contains("CurrentRelativeHumidity") == true)
    }

    @Test("is met by the plugin for the computer's LEDs")
    func leds() async throws {
        let sys = try FakeSys()
        try sys.led("board:green:status", maximum: 255)
        let checks = try await checks(["\(PluginProgram.examples)/sysfs-leds"], config: ["root": .string(sys.root)])
        #expect(checks.filter { $0.outcome != .passed } == [])
    }

    /// The checks that fail for a plugin that answers every request with success and does nothing else.
    private static let brokenByYes: Set = [
        "answers lights/refresh, then reports the states", "answers lights/set and reports the new state",
        "refuses lights/set for an unknown light",
        "refuses lights/identify for an unknown light",
        "refuses an unknown method", "survives invalid lines", "ends after shutdown",
        "writes only messages",
    ]

    @Test("isn't met by a plugin that only answers with success, and skips checks that need lights")
    func canFail() async throws {
        var broken: Set<String> = []
        // On a busy machine, even valid answers may be late. Therefore retry with longer time limits.
        for hello in [Duration.milliseconds(300), .seconds(1), .seconds(4)] where broken != Self.brokenByYes {
            let yes = try await checks(PluginProgram.script("serve"), hello: hello)
            broken = Set(yes.filter { $0.outcome == .failed }.map(\.name))
        }
        #expect(broken == Self.brokenByYes)
        let silent = try await checks(["/bin/cat"], hello: .milliseconds(300))
        #expect(silent.map(\.outcome) == [.failed])
        let dark = try await checks(["\(PluginProgram.examples)/lamps.py"], config: ["lamps": []], hello: .seconds(2))
        #expect(dark.filter { $0.outcome == .skipped }.count == 3)
        #expect(dark.filter { $0.outcome == .failed } == [])
    }
}
