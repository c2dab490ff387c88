import HAPModel
import HomeModel
import HomePresentation
import Synchronization

/// The devices that visitors recently turned off together, so that they can turn them on again.
final class TurnedOff: Sendable {
    /// The maximum number of entries; the oldest is removed first.
    static let limit = 64
    /// The time for which devices can be turned on again.
    static let lifetime = Duration.seconds(600)

    private struct Entry {
        let place: String
        let who: String
        let toggles: [ServiceToggle]
        let time: ContinuousClock.Instant
    }

    private let entries = Mutex<[Entry]>([])

    /// Stores the devices that a visitor turned off in a room or home, instead of earlier ones in the same place.
    func add(_ toggles: [ServiceToggle], in place: String, by visitor: Visitor, at now: ContinuousClock.Instant = .now)
    {
        entries.withLock { entries in
            entries.removeAll { $0.place == place && $0.who == visitor.shownName }
            entries.append(Entry(place: place, who: visitor.shownName, toggles: toggles, time: now))
            if entries.count > Self.limit { entries.removeFirst() }
        }
    }

    /// Returns the devices that the visitor turned off in a room or home and that are still off.
    func toggles(
        in place: String, of home: Home, _ visitor: Visitor, at now: ContinuousClock.Instant = .now
    ) -> [ServiceToggle] {
        let entry = entries.withLock { entries in
            entries.first { $0.place == place && $0.who == visitor.shownName }
        }
        guard let entry, entry.time + Self.lifetime > now else { return [] }
        return entry.toggles.filter { toggle in
            home.characteristic(toggle.characteristic)?.value.map(toggle.isOn) == false
        }
    }

    func count(in place: String, of home: Home, _ visitor: Visitor) -> Int {
        toggles(in: place, of: home, visitor).count
    }

    /// Forgets the devices that the visitor turned off in a room or home.
    func remove(in place: String, by visitor: Visitor) {
        entries.withLock { $0.removeAll { $0.place == place && $0.who == visitor.shownName } }
    }

    /// The text of the button that turns devices on again.
    static func words(_ count: Int) -> String { count == 1 ? "Turn it on again" : "Turn \(count) on again" }
}
