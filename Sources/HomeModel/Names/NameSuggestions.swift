public import HAPModel

/// The context of an object that is needed to suggest a name for it.
public struct NameContext: Sendable {
    /// What to call the object if nothing else is left: `Light`, `Room`.
    public var noun: String
    /// What the object does, if it is a service or an accessory.
    public var serviceType: ServiceType?
    /// Words that do not belong into a name.
    public var maker: NameMaker
    /// The rooms and zones, which a name should not repeat; none for names of rooms and zones.
    public var locations: [NameLocation]
    /// The names in use within the namespace.
    public var taken: Set<NameKey>
    /// Whether the device says the name, and not a person.
    public var isFromDevice: Bool

    /// Describes the context of an object that is no service or accessory; the noun is a valid name.
    public init(noun: String, taken: Set<NameKey>) {
        self.init(serviceType: nil, taken: taken)
        self.noun = noun
    }

    /// Describes the context of a service or an accessory.
    public init(
        serviceType: ServiceType?, maker: NameMaker = NameMaker(), locations: [NameLocation] = [],
        taken: Set<NameKey> = [], isFromDevice: Bool = false
    ) {
        self.serviceType = serviceType
        self.maker = maker
        self.locations = locations
        self.taken = taken
        self.isFromDevice = isFromDevice
        noun = serviceType?.noun ?? ServiceType.defaultNoun
    }
}

extension NameContext {
    /// Returns one to three names in place of one that can't be had, from any text, the best first.
    ///
    /// Each is valid, free, and contains neither a place of the home nor the maker.
    public func suggestions(for raw: String) -> [String] {
        let detector = LocationDetector(locations, serviceType: serviceType)
        let clean = CleanName.cleaned(raw)
        let plain = withoutMaker(clean)
        let candidates = [CleanName.fitted(detector.hits(in: plain).rest), plain, noun]
        var suggestions: [String] = []
        var keys = taken
        var seen: Set<NameKey> = []
        for candidate in candidates where seen.insert(NameKey(candidate)).inserted {
            guard let name = free(candidate, keys, detector) else { continue }
            keys.insert(NameKey(name))
            suggestions.append(name)
        }
        return suggestions.isEmpty ? [lastResort(keys, detector)] : suggestions
    }

    private func withoutMaker(_ clean: String) -> String {
        var words = NameWords(maker.removed(from: clean))
        if isFromDevice {
            // Serial numbers, and what else a factory prints.
            words.removeAll { word in
                word.unicodeScalars.contains(where: \.isNameLetter)
                    && word.unicodeScalars.contains { $0.properties.generalCategory == .decimalNumber }
                    && !CleanName.isOrdinal(word)
            }
        }
        return CleanName.fitted(words.text)
    }

    /// The name itself, or with the first number behind it that makes it free; `nil` if it may not be used at all.
    private func free(_ name: String, _ keys: Set<NameKey>, _ detector: LocationDetector) -> String? {
        guard isUsable(name, detector) else { return nil }
        if !keys.contains(NameKey(name)) { return name }
        for number in 2...(keys.count + locations.count + 3) {
            let suffix = " \(number)"
            let base = CleanName.fitted(
                name, maximumLength: NameRules.maximumLength - suffix.count,
                maximumBytes: NameRules.maximumBytes - suffix.utf8.count)
            let numbered = base + suffix
            if !keys.contains(NameKey(numbered)), isUsable(numbered, detector) { return numbered }
        }
        return nil
    }

    private func isUsable(_ name: String, _ detector: LocationDetector) -> Bool {
        let words = NameWords(name)
        return NameRules.isValid(name) && !detector.hasHit(in: words) && !maker.occurs(in: words)
    }

    /// A home may have a room called Light and a room called Accessory; it has not one for every number.
    private func lastResort(_ keys: Set<NameKey>, _ detector: LocationDetector) -> String {
        let nouns = ["Accessory", "Device", "Thing", "Item"].compactMap { free($0, keys, detector) }
        if let noun = nouns.first { return noun }
        var number = 1
        while keys.contains(NameKey(String(number))) || !isUsable(String(number), detector) { number += 1 }
        return String(number)
    }
}
