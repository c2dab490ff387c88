import DeviceKit
import HAPModel

/// The buttons of a device, derived from the words that it sends, such as `1_double`, `hold_left` or `on_press`.
///
/// The first or the last part of a word names the press, and the other parts name the button. Releases are ignored.
/// HomeKit has no triple and quadruple presses, so they become the single and the double press of another button.
struct ButtonWords: Equatable, Sendable {
    /// The maximum number of buttons of a device; some devices list the words of all remote controls of their protocol.
    static let maximumButtons = 32

    /// The meaning of a part of a word, in ascending order of precedence.
    private enum Part: Int, Comparable {
        case single, double, long, triple, quadruple, none

        static func < (a: Part, b: Part) -> Bool { a.rawValue < b.rawValue }
    }

    private static let parts: [String: Part] = [
        "single": .single, "click": .single, "press": .single, "push": .single, "short": .single, "pressed": .single,
        "clicked": .single, "double": .double, "hold": .long, "held": .long, "long": .long, "triple": .triple,
        "tripple": .triple, "quadruple": .quadruple, "quad": .quadruple, "release": .none, "released": .none,
        "quintuple": .none, "penta": .none, "many": .none,
    ]

    private(set) var buttons: [PushButton] = []
    /// The number of buttons that were dropped because of ``maximumButtons``.
    private(set) var surplus = 0
    private var meanings: [String: Meaning] = [:]
    private let entity: Entity?

    /// The entity to which the words belong.
    ///
    /// A device may have several entities with the same words.
    struct Entity: Equatable, Sendable {
        var id: String
        var name: String
    }

    private struct Meaning: Equatable, Sendable {
        var button: String
        var press: ButtonPress
    }

    /// Creates buttons from words.
    ///
    /// - Parameters:
    ///   - words: All words of the device.
    ///   - isStrict: Whether to ignore words that don't name a press, because the device may send words that aren't
    ///     about buttons.
    ///   - isDoorbell: Whether the words belong to the button of a doorbell.
    ///   - entity: The entity that the words belong to, or `nil` if the device has no other words.
    init(_ words: [String], isStrict: Bool = false, isDoorbell: Bool = false, of entity: Entity? = nil) {
        self.entity = entity
        for word in words {
            guard let (base, press) = Self.split(word) else { continue }
            if isStrict, press == nil { continue }
            if isDoorbell, press == nil {
                add(word, base: "", .single)
            } else {
                add(word, base: base, press ?? .single)
            }
        }
        for index in buttons.indices { buttons[index].isDoorbell = isDoorbell && index == 0 }
    }

    /// Creates the button of a Home Assistant trigger, whose type is usually the press and whose subtype is the button.
    init(type: String, subtype: String) {
        entity = nil
        guard let (base, press) = Self.split(type), let (name, other) = Self.split(subtype) else { return }
        let isGeneral = press == nil || base.isEmpty || base == "button"
        add("", base: name.isEmpty ? (isGeneral ? "" : base) : name, press ?? other ?? .single)
    }

    /// Creates the buttons of a device that names its buttons and presses.
    ///
    /// - Parameter named: The device's words, each with the name of its button, such as `1` or `switch_1`, and the name
    ///   of its press.
    init(named: [(word: String, button: String, press: String)]) {
        entity = nil
        for (word, button, press) in named {
            guard let part = Self.parts[press] else { continue }
            add(word, base: button, part)
        }
    }

    /// Returns the momentary events of a word; empty if the word is unknown.
    func events(_ word: String) -> PropertyValues {
        guard let meaning = meanings[word], let button = buttons.first(where: { $0.id == meaning.button }) else {
            return PropertyValues()
        }
        return button.events(meaning.press)
    }

    private mutating func add(_ word: String, base: String, _ part: Part) {
        let press: ButtonPress
        switch part {
        case .single, .triple: press = .single
        case .double, .quadruple: press = .double
        case .long: press = .long
        case .none: return
        }
        var (id, name) = (base.isEmpty ? "button" : base, Self.name(of: base))
        if let entity {
            id = base.isEmpty ? entity.id : "\(entity.id)/\(base)"
            name = base.isEmpty ? entity.name : "\(entity.name) \(name)"
        }
        if part == .triple || part == .quadruple {
            id += "-triple"
            name += " Triple"
        }
        if let index = buttons.firstIndex(where: { $0.id == id }) {
            buttons[index].presses.insert(press)
        } else if buttons.count < Self.maximumButtons {
            buttons.append(PushButton(id: id, name: name, presses: [press]))
        } else {
            surplus += 1
            return
        }
        meanings[word] = Meaning(button: id, press: press)
    }

    /// Splits a word into the button and the press, or returns `nil` if the word can't be parsed.
    ///
    /// The press is `nil` if the word doesn't name a press.
    private static func split(_ word: String) -> (base: String, press: Part?)? {
        guard (1...64).contains(word.utf8.count), word.unicodeScalars.allSatisfy({ $0.value >= 0x20 }),
            !word.contains("*"), !word.contains("#")
        else { return nil }
        var pieces: [String] = []
        var isLower = false
        for character in word {
            if character == "_" || character == "-" || character == " " || (character.isUppercase && isLower) {
                pieces.append("")
            }
            if pieces.isEmpty { pieces = [""] }
            isLower = character.isLowercase
            guard character != "_", character != "-", character != " " else { continue }
            pieces[pieces.count - 1] += character.lowercased()
        }
        pieces.removeAll(where: \.isEmpty)
        guard !pieces.isEmpty else { return nil }
        var found: [Part] = []
        while let last = pieces.last, let part = parts[last] {
            found.append(part)
            pieces.removeLast()
        }
        if found.isEmpty {
            while let first = pieces.first, let part = parts[first] {
                found.append(part)
                pieces.removeFirst()
            }
        }
        return (pieces.joined(separator: "_"), found.max())
    }

    /// Returns the name of a button for people, such as `Button 1` or `Arrow Left`.
    private static func name(of base: String) -> String {
        if base.isEmpty { return "Button" }
        if base.allSatisfy(\.isNumber) { return "Button \(base)" }
        return base.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }
}

extension [PushButton] {
    /// Merges the buttons of several parts of a device, with all of their presses.
    init(merging parts: [[PushButton]]) {
        self = []
        for button in parts.joined() {
            if let index = firstIndex(where: { $0.id == button.id }) {
                self[index].presses.formUnion(button.presses)
                self[index].isDoorbell = self[index].isDoorbell || button.isDoorbell
            } else if count < ButtonWords.maximumButtons {
                append(button)
            }
        }
        // Sort the buttons, because parts arrive in any order.
        if parts.count > 1 { sort { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) } }
    }
}
