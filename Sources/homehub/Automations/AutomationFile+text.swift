import BoundedJSON
import HomeClient
import HomeModel
import HomePresentation

extension AutomationFile {
    /// Returns a home's automations as YAML.
    static func text(of home: Home, _ parser: TriggerParser) -> String {
        var lines = ["# The automations of \(home.name). To load them: homehub automations import FILE"]
        lines.append(home.triggers.isEmpty ? "automations: []" : "automations:")
        for trigger in home.triggers {
            var entry = YAMLEntry()
            entry.add("name", trigger.name)
            if !trigger.isEnabled { entry.add(line: "enabled: false") }
            let typed = TypedTrigger(trigger.definition, parser)
            entry.add("at", typed.at)
            entry.add("every", typed.every)
            entry.add("when", typed.when)
            entry.add("days", typed.days)
            entry.add("if", typed.conditions)
            entry.add("run", typed.run)
            entry.add(typed.steps)
            entry.add("for", typed.endsAfter)
            entry.add("until", typed.until)
            if typed.isOnce { entry.add(line: "once: true") }
            entry.add("missed", typed.missed)
            do {
                _ = try typed.definition(parser)
                lines += entry.lines
            } catch {
                // The automation refers to removed objects. Comment it out, so that the file can be imported.
                let state = TriggerPhrases(home: home, time: parser.time).state(of: trigger)
                lines.append("# \(trigger.name) isn't complete (\(state)):")
                lines += entry.lines.map { "#" + $0 }
            }
        }
        if !lines.contains(where: { $0.hasPrefix("  - ") }), !home.triggers.isEmpty { lines[1] = "automations: []" }
        return lines.map { $0 + "\n" }.joined()
    }
}

/// The lines of a list item.
private struct YAMLEntry {
    private(set) var lines: [String] = []

    mutating func add(line: String) { lines.append((lines.isEmpty ? "  - " : "    ") + line) }

    mutating func add(_ key: String, _ text: String?) { if let text { add(line: "\(key): \(text.yaml)") } }

    mutating func add(_ key: String, _ texts: [String]) {
        guard texts.count > 1 else { return add(key, texts.first) }
        add(line: "\(key):")
        for text in texts { add(line: "  - \(text.yaml)") }
    }

    mutating func add(_ steps: [TypedTrigger.Step]) {
        switch steps.count {
        case 0: return
        case 1:
            switch steps[0] {
            case .set(let texts): return add("set", texts)
            case .notify(let text): return add("notify", text)
            case .after: break
            }
        default: break
        }
        add(line: "steps:")
        for step in steps {
            switch step {
            case .set(let texts) where texts.count == 1: add(line: "  - set: \(texts[0].yaml)")
            case .set(let texts):
                add(line: "  - set:")
                for text in texts { add(line: "      - \(text.yaml)") }
            case .after(let duration): add(line: "  - after: \(duration.yaml)")
            case .notify(let text): add(line: "  - notify: \(text.yaml)")
            }
        }
    }
}

extension String {
    /// The text as a YAML scalar: plain if that's safe, or else in double quotes.
    fileprivate var yaml: String {
        let plainStart = first.map { $0.isLetter || $0.isNumber } == true
        let isPlain =
            plainStart && last != " " && last != ":" && !contains(": ") && !contains(" #")
            && unicodeScalars.allSatisfy { $0.isASCII ? 0x20..<0x7F ~= $0.value : $0.properties.isAlphabetic }
            // Some programs read 07:00 as a number, and on as true.
            && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(lowercased())
            && !allSatisfy { $0.isNumber || ":._-eE+".contains($0) }
        // A JSON string is also a YAML scalar in double quotes, except for characters that YAML doesn't allow.
        return isPlain ? self : JSONValue.string(self).text.escapedForYAML
    }

    /// The text with escapes in place of characters that YAML doesn't allow.
    private var escapedForYAML: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0xFEFF, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
