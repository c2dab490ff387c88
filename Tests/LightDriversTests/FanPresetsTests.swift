import DeviceKit
import HAPModel
import Testing

@testable import LightDrivers

@Suite("The presets of a fan")
struct FanPresetsTests {
    @Test(
        "are an automatic mode, speeds or switches",
        arguments: [
            ([], false, [], nil, []),
            (["auto"], true, [], "auto", []),
            (["breeze"], true, [], "breeze", []),
            (["breeze"], false, [], nil, ["breeze"]),
            (["Smart", "Sleep", "Nature"], true, [], "Smart", ["Sleep", "Nature"]),
            (["sleep", "nature"], true, [], nil, ["sleep", "nature"]),
            (["eco", "auto"], true, [], "auto", ["eco"]),
            (["low", "medium", "high", "auto"], true, [], "auto", []),
            (["high", "Low", "medium", "auto", "off", "on"], false, ["Low", "medium", "high"], "auto", []),
            (["turbo", "sleep"], false, [], nil, ["turbo", "sleep"]),
            (["auto", "normal"], false, [], "auto", []),
            (["auto", "sleep", "normal"], false, [], "auto", ["sleep", "normal"]),
            (["auto", "auto", "", String(repeating: "x", count: 65)], true, [], "auto", []),
        ] as [([String], Bool, [String], String?, [String])])
    func meanings(words: [String], hasSpeed: Bool, steps: [String], auto: String?, others: [String]) {
        let presets = FanPresets(words, hasSpeed: hasSpeed)
        #expect(presets.steps == steps && presets.auto == auto && presets.others == others)
    }

    private static func command(_ change: (inout LightCommand) -> Void) -> LightCommand {
        var command = LightCommand()
        change(&command)
        return command
    }

    @Test("follow a command")
    func commands() {
        let steps = FanPresets(["auto", "low", "medium", "high", "sleep"], hasSpeed: false)
        for (speed, word) in [(1, "low"), (33, "low"), (40, "medium"), (66, "medium"), (67, "medium"), (100, "high")] {
            #expect(steps.mode(of: Self.command { $0.speed = speed }) == word, "\(speed)")
        }
        #expect(steps.mode(of: Self.command { $0.values.blowsAutomatically = true }) == "auto")
        #expect(steps.mode(of: Self.command { $0.values[FanFeatures.preset("sleep")] = .bool(true) }) == "sleep")
        #expect(steps.mode(of: Self.command { $0.values[FanFeatures.preset("sleep")] = .bool(false) }) == nil)
        let plain = FanPresets(["auto", "normal"], hasSpeed: false)
        #expect(plain.mode(of: Self.command { $0.values.blowsAutomatically = false }) == "normal")
    }

    @Test("are reported as values")
    func reports() {
        let presets = FanPresets(["auto", "low", "high", "sleep"], hasSpeed: false)
        func values(_ isAuto: Bool, _ sleeps: Bool, _ speed: Int? = nil) -> PropertyValues {
            var values = PropertyValues()
            values.blowsAutomatically = isAuto
            values[FanFeatures.preset("sleep")] = .bool(sleeps)
            values.speed = speed
            return values
        }
        #expect(presets.values("auto") == values(true, false))
        #expect(presets.values("sleep") == values(false, true))
        #expect(presets.values("low") == values(false, false, 50))
        #expect(presets.values(nil) == values(false, false))
        #expect(presets.values("unknown").isEmpty)
    }
}
