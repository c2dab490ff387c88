import HAPModel

/// The manufacturer, model and serial number of an accessory: words that don't belong in its name.
public struct NameMaker: Sendable, Hashable {
    /// The words and phrases to find, longest first, so that results don't depend on the order of a set.
    private let phrases: [NameKey]

    /// Creates a maker from the accessory's information.
    ///
    /// - Parameters:
    ///   - manufacturer: The manufacturer, including corporate filler such as `Inc.`.
    ///   - model: The model's name or number.
    ///   - serialNumber: The serial number. It's ignored if it has no digits.
    public init(manufacturer: String? = nil, model: String? = nil, serialNumber: String? = nil) {
        var phrases: Set<NameKey> = []
        for word in CleanName.cleaned(manufacturer ?? "").spacedWords {
            let key = NameKey(word)
            if key.description.count > 1, !Self.filler.contains(key.description) { phrases.insert(key) }
        }
        // Ignore a serial number without digits. A light without a serial number may report an ID that its owner chose.
        let serialNumber = serialNumber.flatMap { $0.contains(where: \.isNumber) ? $0 : nil }
        for phrase in [model, serialNumber] {
            let key = NameKey(CleanName.cleaned(phrase ?? ""))
            if key.description.count > 1 { phrases.insert(key) }
        }
        // A manufacturer that calls a lamp "Lamp" must not prevent users from using the word.
        self.phrases = phrases.subtracting(ServiceType.nounKeys)
            .sorted { ($1.description.count, $0) < ($0.description.count, $1) }
    }

    /// Returns a Boolean value that indicates whether a name contains the manufacturer, the model or the serial number.
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
