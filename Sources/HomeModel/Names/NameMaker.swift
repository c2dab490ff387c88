import HAPModel

/// Who made an accessory and what they call it: words that do not belong into its name.
public struct NameMaker: Sendable, Hashable {
    /// Longest first, so that what is found does not depend on the order of a set.
    private let phrases: [NameKey]

    /// Takes the accessory's own description.
    ///
    /// - Parameters:
    ///   - manufacturer: the maker, corporate filler such as `Inc.` included.
    ///   - model: the model's name or number.
    ///   - serialNumber: the serial number; one without digits is a word like others, and does not count.
    public init(manufacturer: String? = nil, model: String? = nil, serialNumber: String? = nil) {
        var phrases: Set<NameKey> = []
        for word in CleanName.cleaned(manufacturer ?? "").spacedWords {
            let key = NameKey(word)
            if key.description.count > 1, !Self.filler.contains(key.description) { phrases.insert(key) }
        }
        // What has no digit is no number: a light without one may tell the id that its owner gave it.
        let serialNumber = serialNumber.flatMap { $0.contains(where: \.isNumber) ? $0 : nil }
        for phrase in [model, serialNumber] {
            let key = NameKey(CleanName.cleaned(phrase ?? ""))
            if key.description.count > 1 { phrases.insert(key) }
        }
        // A maker that calls a lamp "Lamp" must not deprive people of the word.
        self.phrases = phrases.subtracting(ServiceType.nounKeys)
            .sorted { ($1.description.count, $0) < ($0.description.count, $1) }
    }

    /// Whether a name contains the maker, the model or the serial number.
    public func occurs(in name: String) -> Bool { occurs(in: NameWords(CleanName.cleaned(name))) }

    func occurs(in words: NameWords) -> Bool { phrases.contains { words.firstRange(of: $0) != nil } }

    func removed(from name: String) -> String {
        var words = NameWords(name)
        while let fewer = removed(from: words) { words = fewer }
        return words.text
    }

    private func removed(from words: NameWords) -> NameWords? {
        for phrase in phrases {
            guard let range = words.firstRange(of: phrase) else { continue }
            var fewer = words
            fewer.remove(range)
            return fewer
        }
        return nil
    }

    private static let filler: Set<String> = [
        "inc", "ltd", "llc", "gmbh", "ag", "co", "corp", "corporation", "company", "limited", "devices", "the", "and",
        "technologies", "technology", "group", "home", "bv", "sa", "sarl", "srl", "oy", "ab", "kg", "plc", "pty",
    ]
}
