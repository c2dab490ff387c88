package import HomeModel
import Texts

extension SunEvent {
    /// The event in words: `sunset`, `dusk`.
    package var words: String {
        switch self {
        case .sunrise: localized("sunrise")
        case .sunset: localized("sunset")
        case .civilDawn: localized("dawn")
        case .civilDusk: localized("dusk")
        }
    }

    /// The event in its typed form.
    fileprivate var typedText: String {
        switch self {
        case .sunrise: "sunrise"
        case .sunset: "sunset"
        case .civilDawn: "dawn"
        case .civilDusk: "dusk"
        }
    }
}

extension SunTime {
    private static let events: [String: SunEvent] = [
        "sunrise": .sunrise, "sunset": .sunset, "dawn": .civilDawn, "civildawn": .civilDawn, "dusk": .civilDusk,
        "civildusk": .civilDusk,
    ]

    /// Parses `sunset`, `sunset-30m`, `sunrise + 1h` or `30 minutes before dusk`; returns `nil` if the text doesn't mean
    /// a time relative to a sun event.
    package init?(typed: String) {
        let text = typed.lowercased().replacing("–", with: "-").replacing("−", with: "-")
        for (word, sign) in [(" before ", -1), (" after ", 1)] {
            guard let found = text.firstRange(of: word) else { continue }
            guard let offset = TypedDuration.parse(String(text[..<found.lowerBound])),
                let event = Self.event(text[found.upperBound...])
            else { return nil }
            self.init(event, offset: offset * sign)
            return
        }
        let sign = text.firstIndex { $0 == "+" || $0 == "-" } ?? text.endIndex
        guard let event = Self.event(text[..<sign]) else { return nil }
        guard sign < text.endIndex else {
            self.init(event)
            return
        }
        guard let offset = TypedDuration.parse(String(text[text.index(after: sign)...])) else { return nil }
        self.init(event, offset: offset * (text[sign] == "-" ? -1 : 1))
    }

    private static func event(_ text: Substring) -> SunEvent? { events[text.filter { $0 != " " }] }

    /// The time in its typed form, such as `sunset-30m`.
    package var typedText: String {
        guard offset != .zero else { return event.typedText }
        return event.typedText + (offset < .zero ? "-" : "+") + TypedDuration.text(of: offset)
    }

    /// The time in words, such as `30 minutes before sunset`.
    package var words: String {
        guard offset != .zero else { return event.words }
        let duration = TypedDuration.words(of: offset)
        return offset < .zero
            ? localized("\(duration) before \(event.words)") : localized("\(duration) after \(event.words)")
    }
}
