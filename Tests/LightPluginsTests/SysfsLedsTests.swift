import BoundedJSON
import DeviceKit
import FoundationEssentials
import Glibc
import HAPTesting
import TestTimeouts
import Testing

@testable import LightPlugins

/// An imitation of /sys with LEDs and backlights as plain files.
final class FakeSys: Sendable {
    let root: String

    init() throws {
        root = try PluginProgram.folder()
        for kind in ["leds", "backlight"] {
            try FileManager.default.createDirectory(atPath: "\(root)/class/\(kind)", withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func led(_ name: String, maximum: Int, _ more: [String: String] = [:], kind: String = "leds") throws {
        let directory = "\(root)/class/\(kind)/\(name)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let files = ["brightness": "0", "max_brightness": "\(maximum)"].merging(more) { $1 }
        for (file, content) in files { try write(content, "\(kind)/\(name)/\(file)") }
    }

    func write(_ content: String, _ path: String) throws {
        try Data("\(content)\n".utf8).write(to: URL(filePath: "\(root)/class/\(path)"))
    }

    func read(_ path: String) throws -> String {
        let text = try String(contentsOf: URL(filePath: "\(root)/class/\(path)"), encoding: .utf8)
        return text.split(separator: "\n").first.map(String.init) ?? ""
    }
}

@Suite("The plugin for the computer's LEDs", .timeout)
struct SysfsLedsTests {
    private func running(
        _ sys: FakeSys, config: JSONObject = [:], _ body: (PluginDriver, RecordingLightHost) async throws -> Void
    ) async throws {
        var config = config
        config["root"] = .string(sys.root)
        let driver = PluginProgram.driver(["\(PluginProgram.examples)/sysfs-leds"], config: .object(config))
        let host = RecordingLightHost()
        let run = Task { try await driver.run(host: host) }
        try #require(await host.wait { $0.contains(.state(.running)) })
        let result: Result<Void, any Error>
        do { result = .success(try await body(driver, host)) } catch { result = .failure(error) }
        run.cancel()
        _ = await run.result
        try result.get()
    }

    private func names(_ host: RecordingLightHost) -> [String: String] {
        var names: [String: String] = [:]
        for case .added(let light) in host.calls { names[light.id.rawValue] = light.name }
        return names
    }

    @Test("names an LED by its function and color, or by its device")
    func names() async throws {
        let sys = try FakeSys()
        for name in ["board:green:heart_beat", "input3::capslock", "mmc0::", "led0", "red:status", "gpio:blue:usr-0"] {
            try sys.led(name, maximum: 1)
        }
        try await running(sys) { _, host in
            #expect(
                names(host) == [
                    "leds/board:green:heart_beat": "Heart Beat Green", "leds/input3::capslock": "Capslock",
                    "leds/mmc0::": "Mmc0", "leds/led0": "Led0", "leds/red:status": "Status Red",
                    "leds/gpio:blue:usr-0": "Usr 0 Blue",
                ])
        }
        try await running(sys, config: ["only": ["*:capslock", "leds/led*"]]) { _, host in
            #expect(names(host).keys.sorted() == ["leds/input3::capslock", "leds/led0"])
        }
    }

    @Test("ends a trigger before it sets an LED, and reports the requested percentage")
    func trigger() async throws {
        let sys = try FakeSys()
        try sys.led("a", maximum: 7, ["trigger": "none timer [heartbeat]"])
        try await running(sys) { driver, host in
            try await driver.apply(LightCommand(on: true, brightness: 50), to: "leds/a")
            #expect(try sys.read("leds/a/trigger") == "none")
            #expect(try sys.read("leds/a/brightness") == "4")
            #expect(await host.wait(for: "leds/a") { $0.on == true && $0.brightness == 50 })
            try await driver.apply(LightCommand(on: false), to: "leds/a")
            #expect(try sys.read("leds/a/brightness") == "0")
            try await driver.apply(LightCommand(on: true), to: "leds/a")
            #expect(try sys.read("leds/a/brightness") == "4")
        }
    }

    @Test("converts the three colors of an LED to hue and saturation")
    func color() async throws {
        let sys = try FakeSys()
        try sys.led("rgb", maximum: 200, ["multi_index": "green red blue", "multi_intensity": "0 200 0"])
        try await running(sys) { driver, host in
            #expect(host.state(of: "leds/rgb")?.color == .hueSaturation(hue: 0, saturation: 100))
            let blue = LightColor.hueSaturation(hue: 240, saturation: 50)
            try await driver.apply(LightCommand(on: true, brightness: 100, color: blue), to: "leds/rgb")
            #expect(try sys.read("leds/rgb/multi_intensity") == "100 100 200")
            #expect(try sys.read("leds/rgb/brightness") == "200")
            #expect(await host.wait(for: "leds/rgb") { $0.color == blue })
        }
    }

    @Test("switches a backlight through its power, and never sets brightness 0")
    func backlight() async throws {
        let sys = try FakeSys()
        try sys.led("panel", maximum: 1000, ["brightness": "500", "bl_power": "0"], kind: "backlight")
        try await running(sys) { driver, host in
            #expect(host.state(of: "backlight/panel")?.brightness == 50)
            try await driver.apply(LightCommand(on: false), to: "backlight/panel")
            #expect(try sys.read("backlight/panel/bl_power") == "4")
            #expect(try sys.read("backlight/panel/brightness") == "500")
            try await driver.apply(LightCommand(on: true, brightness: 1), to: "backlight/panel")
            #expect(try sys.read("backlight/panel/bl_power") == "0")
            #expect(try sys.read("backlight/panel/brightness") == "10")
        }
    }

    @Test("reports changes by other programs, removed LEDs and new LEDs")
    func changes() async throws {
        let sys = try FakeSys()
        try sys.led("a", maximum: 255)
        try await running(sys) { driver, host in
            try sys.write("255", "leds/a/brightness")
            #expect(await host.wait(for: "leds/a") { $0.on == true && $0.brightness == 100 && $0.isSpontaneous })
            try FileManager.default.removeItem(atPath: "\(sys.root)/class/leds/a")
            try sys.led("b", maximum: 1)
            #expect(await host.wait(for: "leds/a") { $0.reachable == false })
            #expect(await host.wait(for: "leds/b") { $0.reachable == true })
            await #expect(throws: LightError.unreachable) {
                try await driver.apply(LightCommand(on: true), to: "leds/a")
            }
        }
    }

    @Test("restores brightness and trigger after an identification")
    func identify() async throws {
        let sys = try FakeSys()
        try sys.led("a", maximum: 255, ["brightness": "7", "trigger": "none [timer]"])
        try await running(sys) { driver, _ in
            try await driver.identify("leds/a")
            #expect(try sys.read("leds/a/brightness") == "7")
            #expect(try sys.read("leds/a/trigger") == "timer")
        }
    }
}
