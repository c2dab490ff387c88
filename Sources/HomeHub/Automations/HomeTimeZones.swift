import HomeModel

/// The rules of the homes' time zones.
///
/// Reading rules blocks. The hub reads them before it runs, and later in the background.
struct HomeTimeZones: Sendable {
    /// The name of a time zone; `nil` for the system's time zone.
    typealias Name = String?

    /// The name of the system's time zone; `nil` if it's unknown.
    private(set) var systemName: String?

    /// The rules by name; `nil` for a time zone that can't be read.
    private var rules: [Name: TimeZoneRules?] = [:]

    init(systemName: String?) { self.systemName = systemName }

    /// Returns the names of the time zones that homes use.
    static func names(of homes: [Home]) -> Set<Name> { Set(homes.map { $0.location?.timeZone } + [nil]) }

    /// Returns the rules of a home's time zone; `nil` if they haven't been read yet.
    ///
    /// If they can't be read, the result is the rules of the system's time zone, or UTC.
    func rules(of home: Home) -> TimeZoneRules? {
        guard let found = rules[home.location?.timeZone] else { return nil }
        return found ?? system
    }

    /// The rules of the system's time zone; UTC if they can't be read.
    var system: TimeZoneRules { (rules[nil] ?? nil) ?? .utc }

    /// Adds the rules of a time zone; `nil` if they can't be read.
    mutating func add(_ name: Name, _ rules: TimeZoneRules?) { self.rules.updateValue(rules, forKey: name) }

    /// Replaces all rules.
    ///
    /// - Returns: The time zones that can no longer be read, or `nil` if nothing has changed.
    mutating func update(_ other: HomeTimeZones) -> [Name]? {
        systemName = other.systemName
        guard other.rules != rules else { return nil }
        let missing = other.rules.filter { name, found in found == nil && rules[name] != .some(nil) }
        rules = other.rules
        return missing.keys.sorted { $0 ?? "" < $1 ?? "" }
    }

    /// The time zones that can't be read.
    var missing: [Name] { rules.filter { $0.value == nil }.keys.sorted { $0 ?? "" < $1 ?? "" } }
}
