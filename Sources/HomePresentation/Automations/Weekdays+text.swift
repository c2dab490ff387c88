package import HomeModel
import Texts

extension Weekdays {
    /// Parses `mon-fri`, `sat, sun`, `weekdays`, `weekend` or `every day`; returns `nil` if the text isn't a list of days.
    package init?(typed: String) {
        var text = typed.lowercased().replacing("–", with: "-").replacing(" to ", with: "-").replacing(" - ", with: "-")
        text = text.replacing("every day", with: "daily").replacing(" and ", with: ",")
        self = []
        for word in text.split(whereSeparator: { $0 == "," || $0 == " " }) where !["on", "every"].contains(word) {
            switch word {
            case "daily", "all", "always": formUnion(.everyDay)
            case "weekday", "weekdays", "workdays": formUnion(.workdays)
            case "weekend", "weekends": formUnion(.weekend)
            default:
                let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Self.index(of: $0) }
                guard 1...2 ~= ends.count, let first = ends.first ?? nil, let last = ends.last ?? nil else {
                    return nil
                }
                for offset in 0...(last - first + 7) % 7 { insert(Self.day((first + offset) % 7)) }
            }
        }
        if isEmpty { return nil }
    }

    private static func day(_ index: Int) -> Weekdays { Weekdays(rawValue: 1 << UInt8(index)) }

    /// Returns the index of the day that a word of at least three letters abbreviates, such as `tues` or `mondays`.
    private static func index(of word: Substring) -> Int? {
        guard word.count >= 3 else { return nil }
        return Weekdays.everyDay.names.firstIndex { ($0 + "s").hasPrefix(word) }
    }

    /// The days in their typed form, such as `mon-fri`.
    package var typedText: String {
        if self == .everyDay { return "every day" }
        return runs.map { run in
            let ends = [run.lowerBound, run.upperBound].map { Self.everyDay.names[$0].prefix(3) }
            return run.count > 2
                ? ends.joined(separator: "-") : run.map { Self.everyDay.names[$0].prefix(3) }.joined(separator: ",")
        }.joined(separator: ",")
    }

    /// The days in words, as the end of a phrase: `on weekdays`, `on Mondays and Tuesdays`, `every day`.
    package var phrase: String {
        switch self {
        case .everyDay: return localized("every day")
        case .workdays: return localized("on weekdays")
        case .weekend: return localized("on weekends")
        default:
            let parts = runs.flatMap { run in
                run.count > 2 ? [Self.words(run)] : run.map { Self.plurals[$0].localized }
            }
            return localized("on \(parts.joined(with: localized("and")))")
        }
    }

    /// The days as nouns: `a weekday`, `Monday or Tuesday`.
    package var nouns: String {
        if self == .workdays { return localized("a weekday") }
        return runs.flatMap { run in
            run.count > 2 ? [Self.words(run)] : run.map { Self.singulars[$0].localized }
        }.joined(with: localized("or"))
    }

    /// The name of the first day in its plural, such as `Mondays`.
    var plural: String { runs.first.map { Self.plurals[$0.lowerBound].localized } ?? "" }

    private static func words(_ run: ClosedRange<Int>) -> String {
        localized(
            "\(singulars[run.lowerBound].localized) to \(singulars[run.upperBound].localized)", context: "days")
    }

    private static let singulars: [LocalizableText] = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let plurals: [LocalizableText] = [
        "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays",
    ]

    /// The ranges of consecutive days, in the order of the week.
    private var runs: [ClosedRange<Int>] {
        var runs: [ClosedRange<Int>] = []
        for index in 0..<7 where contains(Self.day(index)) {
            if let last = runs.last, last.upperBound == index - 1 {
                runs[runs.count - 1] = last.lowerBound...index
            } else {
                runs.append(index...index)
            }
        }
        return runs
    }
}

extension [String] {
    /// Returns the elements as a list with commas, and with the given word before the last element: `A, B and C`.
    func joined(with word: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(word) \(last)"
    }
}

extension String {
    /// The text with a capital first letter.
    var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
