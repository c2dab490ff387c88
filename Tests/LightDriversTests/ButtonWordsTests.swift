import DeviceKit
import HAPModel
import Testing

@testable import LightDrivers

@Suite("Words for presses of buttons")
struct ButtonWordsTests {
    /// Returns the presses of all words: `button press`, or nothing for a word without a press.
    static func presses(_ words: [String], _ buttons: ButtonWords) -> [String] {
        words.map { word in
            var text: [String] = []
            for (property, value) in buttons.events(word) {
                text.append("\(property.function ?? "") \(value.flatMap(ButtonPress.init)?.rawValue ?? "?")")
            }
            return text.joined(separator: ", ")
        }
    }

    /// Values of the `action` expose in zigbee-herdsman-converters, and event types of ESPHome, HOMEd and Matter.
    @Test(
        "reads the press at the end or the start of a word",
        arguments: [
            ("single", "button single"), ("double", "button double"), ("hold", "button long"), ("long", "button long"),
            ("1_single", "1 single"), ("1_double", "1 double"), ("button_1_hold", "button_1 long"),
            ("single_left", "left single"), ("hold_both", "both long"), ("on", "on single"), ("on_press", "on single"),
            ("on_hold", "on long"), ("on_press_release", ""), ("on_hold_release", ""), ("release", ""),
            ("up-hold-release", ""), ("brightness_move_up", "brightness_move_up single"),
            ("arrow_left_click", "arrow_left single"), ("recall_1", "recall_1 single"),
            ("triple", "button-triple single"),
            ("tripple", "button-triple single"), ("quadruple", "button-triple double"), ("2_triple", "2-triple single"),
            ("doubleClick", "button double"), ("short_press", "button single"), ("long_press", "button long"),
            ("double_press", "button double"), ("many", ""), ("*_single", ""), ("", ""), ("#", ""),
        ])
    func words(word: String, press: String) {
        #expect(Self.presses([word], ButtonWords([word])) == [press])
    }

    @Test("gives a button only the presses of its words")
    func possiblePresses() {
        let words = ButtonWords(["1_single", "1_double", "2_single", "2_hold", "2_triple"])
        #expect(words.buttons.map(\.id) == ["1", "2", "2-triple"])
        #expect(words.buttons.map(\.presses) == [[.single, .double], [.single, .long], [.single]])
        #expect(words.buttons.map(\.name) == ["Button 1", "Button 2", "Button 2 Triple"])
        #expect(words.events("1_hold").isEmpty)
    }

    @Test("limits the buttons of a device that lists the words of all remote controls")
    func limit() {
        let words = ButtonWords((0..<50).map { "recall_scene_\($0)" })
        #expect(words.buttons.count == 32 && words.surplus == 18)
    }

    @Test("ignores words that don't name a press if the entity may not be a button")
    func strict() {
        #expect(ButtonWords(["motion", "left"], isStrict: true).buttons.isEmpty)
        #expect(ButtonWords(["motion", "press"], isStrict: true).buttons.map(\.presses) == [[.single]])
    }

    @Test(
        "reads the type and the subtype of a trigger",
        arguments: [
            ("button_short_press", "button_1", "button_1 single"), ("button_double_press", "turn_on", "turn_on double"),
            ("button_long_press", "button_1", "button_1 long"), ("button_short_release", "button_1", ""),
            ("button_triple_press", "button_1", "button_1-triple single"),
            ("button_quadruple_press", "button_1", "button_1-triple double"),
            ("button_quintuple_press", "button_1", ""),
            ("action", "single", "button single"), ("action", "1_hold", "1 long"), ("action", "on_hold_release", ""),
            ("action", "toggle", "toggle single"),
        ])
    func triggers(type: String, subtype: String, press: String) {
        #expect(Self.presses([""], ButtonWords(type: type, subtype: subtype)) == [press])
    }

    @Test("rings a doorbell with any word")
    func doorbell() {
        let words = ButtonWords(["ring", "long_press"], isDoorbell: true)
        #expect(words.buttons.map(\.isDoorbell) == [true] && words.buttons[0].presses == [.single, .long])
        #expect(words.events("ring") == words.buttons[0].events(.single))
        #expect(words.events("ring").count == 2 && words.events("long_press").count == 1)
    }
}
