public import HAPModel
import Texts

/// The context for suggestions of an object's name.
public struct NameContext: Sendable {
    /// The noun for the object if no other name is possible: `Light`, `Room`.
    public var noun: String
    /// The type of the service, or of the accessory's main service.
    public var serviceType: ServiceType?
    /// The maker, whose words don't belong in a name.
    public var maker: NameMaker
    /// The rooms and zones, which a name shouldn't repeat; empty for names of rooms and zones.
    public var locations: [NameLocation]
    /// The keys of the names in use in the namespace.
    public var taken: Set<NameKey>
    /// A Boolean value that indicates whether the name comes from the device and not from a person.
    public var isFromDevice: Bool

    /// Creates the context of an object other than a service or an accessory; the noun must be a valid name.
    public init(noun: String, taken: Set<NameKey>) {
        self.init(serviceType: nil, taken: taken)
        self.noun = noun
    }

    /// Creates the context of a service or an accessory.
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
    /// Returns one to three alternatives to a name that can't be used, derived from any text, best first.
    ///
    /// Each name is valid, unused, and contains neither a place of the home nor the maker.
    public func suggestions(for raw: String) -> [String] {
        let detector = LocationDetector(locations, serviceType: serviceType)
        let clean = CleanName.cleaned(raw)
        let plain = withoutMaker(clean)
        let candidates = [CleanName.fitted(detector.hits(in: plain).rest), plain, localized(key: noun)]
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
            // Remove serial numbers and other factory codes: words of letters and digits.
            words.removeAll { word in
                word.unicodeScalars.contains(where: \.isNameLetter)
                    && word.unicodeScalars.contains { $0.properties.generalCategory == .decimalNumber }
                    && !CleanName.isOrdinal(word)
            }
        }
        return CleanName.fitted(words.text)
    }

    /// Returns the name if it's unused, otherwise with the first number that makes it unique; `nil` if the name is
    /// unusable.
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

    /// Returns a generic noun, or a number if the home uses all nouns.
    ///
    /// A home may have rooms named Light and Accessory, but it doesn't have a room for every number.
    private func lastResort(_ keys: Set<NameKey>, _ detector: LocationDetector) -> String {
        let nouns = ["Accessory", "Device", "Thing", "Item"].compactMap { free($0, keys, detector) }
        if let noun = nouns.first { return noun }
        var number = 1
        while keys.contains(NameKey(String(number))) || !isUsable(String(number), detector) { number += 1 }
        return String(number)
    }
}
