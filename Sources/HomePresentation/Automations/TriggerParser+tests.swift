import HAPModel
import HomeModel
import SystemKit
import Texts

// Statements about accessories: a target and a state, such as `hall sensor motion` or `bedroom window open`.

extension TriggerParser {
    /// The maximum number of words in a statement.
    private static let longestStatement = 24

    /// Parses a statement about an accessory.
    ///
    /// - Throws: `HomeError` with code 2 if there's no such accessory or value, 3 if the statement is unclear.
    func test(_ words: [String]) throws(HomeError) -> TypedTest {
        do throws(HomeError) {
            return try plainTest(words)
        } catch {
            guard words.first?.lowercased() == "the", let test = try? plainTest(Array(words.dropFirst())) else {
                throw error
            }
            return test
        }
    }

    private func plainTest(_ words: [String]) throws(HomeError) -> TypedTest {
        let typed = words.joined(separator: " ")
        guard !words.isEmpty else {
            throw HomeError(.invalidParameter, detail: "a statement is missing; add one, such as \"hall lamp on\"")
        }
        guard words.count <= Self.longestStatement else { throw .unclear(typed, localized("use fewer words")) }
        var failure: HomeError?
        // Try the longest name first. A complete name takes precedence over the beginning of another name.
        for isWhole in [true, false] {
            for count in (1..<max(words.count, 1)).reversed() {
                let name = words[..<count].joined(separator: " ")
                let found: ValueTarget?
                do throws(HomeError) {
                    found = try target(name, isWhole: isWhole)
                } catch {
                    // The name before the slash is an accessory's, so the part's name is wrong.
                    let accessory = name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
                    let isPart = name.contains("/") && (try? home.accessory(addressed: accessory)) != nil
                    if error.code != .notFound || isPart { failure = failure ?? error }
                    continue
                }
                guard let found else { continue }
                do throws(HomeError) {
                    return try test(found, Array(words[count...]))
                } catch {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        if let target = try? target(typed, isWhole: true) { throw Self.missingState(of: target) }
        throw unknownTarget(words)
    }

    private func target(_ name: String, isWhole: Bool) throws(HomeError) -> ValueTarget? {
        do throws(HomeError) {
            let target = try home.valueTarget(name, isWhole: isWhole)
            // A room has no states, but it can have the name of one of its accessories.
            if case .place = target { return nil }
            return target
        } catch {
            guard error.code == .notFound, isWhole, let only = home.onlyPart(ofKind: name) else { throw error }
            return only
        }
    }

    /// Returns the error for words that begin with no known name.
    private func unknownTarget(_ words: [String]) -> HomeError {
        let names = home.accessories.map(\.name) + home.accessories.flatMap(\.parts).map(\.name)
        let beginnings = (1...words.count).map { words[..<$0].joined(separator: " ") }
        // It's unknown which words are the name. The most probable ones are as long as the similar name.
        let typos = beginnings.compactMap { name in
            names.near(name).first.map { (name: name, distance: abs($0.count - name.count)) }
        }
        if let typo = typos.min(by: { $0.distance < $1.distance })?.name {
            return HomeError(
                .notFound, detail: localized("there's no accessory called \"\(typo.shown)\" in \(home.name)"),
                suggestions: names.near(typo))
        }
        return HomeError(
            .notFound,
            detail: localized(
                "\"\(words.joined(separator: " ").shown)\" doesn't begin with the name of an accessory in \(home.name); list them with \(ShellCommand.homehub) accessories"
            ))
    }

    private static func missingState(of target: ValueTarget) -> HomeError {
        let states = target.stateExamples
        return HomeError(
            .invalidParameter,
            detail: states.isEmpty
                ? localized("a state is missing after \"\(target.name)\"")
                : localized(
                    "a state is missing after \"\(target.name)\"; add one, such as \(states.joined(separator: ", "))"))
    }

    // MARK: After the target

    private func test(_ target: ValueTarget, _ rest: [String]) throws(HomeError) -> TypedTest {
        let text = rest.joined(separator: " ")
        if let (name, range) = Self.range(text) {
            let place = try target.sensedPlace(name)
            return .range(place, try place.characteristic.range(comparing: range.low, range.high))
        }
        if let (name, comparison, value) = Self.split(text) {
            let place = try target.sensedPlace(name)
            guard !place.characteristic.type.isMomentary else {
                guard comparison == .equal, let kind = PressKind(typed: value) else { throw Self.unclearPress(value) }
                return .press(place, kind)
            }
            if comparison == .equal, let range = value.firstRange(of: "..") {
                let ends = [value[..<range.lowerBound], value[range.upperBound...]].map(String.init)
                return .range(place, try place.characteristic.range(comparing: ends[0], ends[1]))
            }
            let wanted = try place.characteristic.value(comparing: value)
            try place.characteristic.check(comparison, wanted)
            return .compare(place, comparison, wanted)
        }
        // An alarm that "goes off" is triggered, not switched off.
        if rest.map({ $0.lowercased() }) == ["goes", "off"], let place = target.alarm {
            return .compare(place, .equal, .integer(4))
        }
        let state = Self.plainState(rest)
        if Self.unreachableWords.contains(state), let accessory = target.accessory { return .unreachable(accessory) }
        if let kind = PressKind(typed: state), let place = try target.button { return .press(place, kind) }
        if let test = target.test(state: state) { return test }
        if let last = rest.last?.lowercased(), ["changes", "changed"].contains(last) {
            let name = rest.dropLast().joined(separator: " ")
            guard let place = name.isEmpty ? target.places(allowing: .notify).first : try target.sensedPlace(name)
            else {
                throw HomeError(.notificationNotSupported, detail: localized("\(target.name) doesn't report changes"))
            }
            return .changes(place)
        }
        do throws(HomeError) {
            let place = try target.sensedPlace(state)
            // Types of characteristics are hexadecimal numbers, so "hall lamp 25" would mean the On characteristic.
            guard !place.characteristic.isNamedOnlyByType(state) else { throw HomeError(.notFound) }
            return .changes(place)
        } catch {
            guard error.code == .notFound else { throw error }
            let states = target.stateExamples
            let near = states.near(state)
            throw HomeError(
                .notFound,
                detail: near.isEmpty && !states.isEmpty
                    ? localized(
                        "\(target.name) has no state \"\(text.shown)\"; it has \(states.joined(separator: ", "))")
                    : localized("\(target.name) has no state \"\(text.shown)\""),
                suggestions: near)
        }
    }

    private static let operators: [(String, ValueComparison)] = [
        (">=", .greaterOrEqual), ("<=", .lessOrEqual), ("!=", .notEqual), ("==", .equal), ("=", .equal),
        (">", .greater),
        ("<", .less),
    ]

    private static let comparisonWords: [(String, ValueComparison)] = [
        ("at least", .greaterOrEqual), ("at most", .lessOrEqual), ("above", .greater), ("over", .greater),
        ("more than", .greater), ("below", .less), ("under", .less), ("less than", .less), ("other than", .notEqual),
    ]

    /// Splits `temperature>24` or `temperature above 24` into a name, a comparison and a value.
    private static func split(_ text: String) -> (name: String, ValueComparison, value: String)? {
        if let start = text.firstIndex(where: { "<>=!".contains($0) }) {
            for (mark, comparison) in operators where text[start...].hasPrefix(mark) {
                return (trimmed(text[..<start]), comparison, trimmed(text[start...].dropFirst(mark.count)))
            }
            return nil
        }
        let lowercased = " " + text.lowercased()
        for (words, comparison) in comparisonWords {
            guard let found = lowercased.firstRange(of: " \(words) ") else { continue }
            var name = lowercased[..<found.lowerBound].split(separator: " ")
            while let last = name.last, verbsOfNumbers.contains(last) { name.removeLast() }
            return (name.joined(separator: " "), comparison, trimmed(lowercased[found.upperBound...]))
        }
        return nil
    }

    private static let verbsOfNumbers: Set<Substring> = ["is", "rises", "falls", "becomes", "to"]

    /// Splits `temperature between 18 and 24` into a name and two numbers.
    private static func range(_ text: String) -> (name: String, range: (low: String, high: String))? {
        let lowercased = " " + text.lowercased()
        guard let between = lowercased.firstRange(of: " between "),
            let and = lowercased[between.upperBound...].firstRange(of: " and ")
        else { return nil }
        var name = lowercased[..<between.lowerBound].split(separator: " ")
        while let last = name.last, verbsOfNumbers.contains(last) { name.removeLast() }
        let low = trimmed(lowercased[between.upperBound..<and.lowerBound])
        return (name.joined(separator: " "), (low, trimmed(lowercased[and.upperBound...])))
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(separator: " ").joined(separator: " ")
    }

    private static let unreachableWords: Set = [
        "unreachable", "not reachable", "not responding", "isn't responding", "doesn't respond", "offline",
    ]

    private static let fillers: Set = ["is", "are", "becomes", "gets", "turns", "turned", "goes", "a", "an", "the"]

    private static let verbs = [
        "opens": "open", "opened": "open", "closes": "closed", "close": "closed", "locks": "locked", "lock": "locked",
        "unlocks": "unlocked", "unlock": "unlocked",
    ]

    /// Returns the state without the grammar of a sentence: `open` for `opens`, `motion` for `detects motion`.
    private static func plainState(_ rest: [String]) -> String {
        var words = rest.map { $0.lowercased() }
        while words.count > 1, let first = words.first, fillers.contains(first) { words.removeFirst() }
        for negation in [["no", "longer", "detects"], ["doesn't", "detect"], ["detects", "no"]]
        where words.starts(with: negation) {
            words.replaceSubrange(..<negation.count, with: ["no"])
        }
        if words.first == "detects" { words.removeFirst() }
        if words.count > 1, let first = words.first, ["a", "an"].contains(first) { words.removeFirst() }
        return words.map { verbs[$0] ?? $0 }.joined(separator: " ")
    }

    private static func unclearPress(_ typed: String) -> HomeError {
        .unclear(typed, localized("use single, double or long"))
    }
}

extension PressKind {
    private static let kinds: [String: PressKind] = [
        "single": .single, "pressed": .single, "pressed once": .single, "single press": .single, "press": .single,
        "rings": .single, "double": .double, "pressed twice": .double, "double press": .double, "long": .long,
        "held": .long, "long press": .long, "held down": .long,
    ]

    /// Parses `single press`, `pressed twice`, or `long`; returns `nil` for other words.
    init?(typed: String) {
        guard let kind = Self.kinds[typed.lowercased().replacing("-", with: " ")] else { return nil }
        self = kind
    }
}
