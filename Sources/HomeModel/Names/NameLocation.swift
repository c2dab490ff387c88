package import HAPModel

/// A room or zone of the home whose name another name may repeat.
public struct NameLocation: Sendable, Hashable {
    /// The name of the room or zone.
    public var name: String
    /// The room or zone.
    public var place: Place
    fileprivate let key: NameKey
    fileprivate let length: Int

    /// A room or a zone.
    @nonexhaustive
    public enum Place: Sendable, Hashable {
        /// A room. An accessory can be assigned to it.
        case room(Room.ID)
        /// A zone. An accessory can only belong to it through its room.
        case zone(Zone.ID)

        fileprivate var rank: Int { if case .room = self { 0 } else { 1 } }
    }

    /// Creates a location.
    public init(name: String, place: Place) {
        self.name = name
        self.place = place
        key = NameKey(name)
        length = name.spacedWords.count
    }
}

/// Finds the places that a name repeats.
package struct LocationDetector: Sendable {
    private let locations: [NameLocation]
    /// The compound nouns of the service's type, such as `garage door`, whose words don't name a place.
    private let compounds: [NameKey]

    package init(_ locations: [NameLocation], serviceType: ServiceType?) {
        // Longest first, so that `Kids Room` is found before `Room`.
        self.locations = locations.sorted {
            ($1.length, $0.place.rank, $0.key, $0.name) < ($0.length, $1.place.rank, $1.key, $1.name)
        }
        compounds = (serviceType?.compoundNouns ?? []).map { NameKey($0) }
    }

    /// Returns the places that a name repeats, and the name without them.
    ///
    /// - Returns: The places, each only once, in the order in which they were found, and the remaining words of the
    ///   name, which may be empty.
    package func hits(in name: String) -> (locations: [NameLocation], rest: String) {
        var words = NameWords(CleanName.cleaned(name))
        var found: [NameLocation] = []
        while let (location, range) = firstHit(in: words) {
            if !found.contains(location) { found.append(location) }
            words.remove(range)
        }
        return (found, words.text)
    }

    /// Returns a Boolean value that indicates whether the words of a cleaned name repeat a place.
    func hasHit(in words: NameWords) -> Bool { firstHit(in: words) != nil }

    private func firstHit(in words: NameWords) -> (NameLocation, Range<Int>)? {
        let shielded = compounds.compactMap { words.firstRange(of: $0) }
        for location in locations {
            if let range = words.firstRange(of: location.key, shielding: shielded) { return (location, range) }
        }
        return nil
    }
}
