import Synchronization

/// Limits the number of open live streams, and prevents a single visitor from using all of them.
final class ListenerLimit: Sendable {
    static let most = 64

    private struct Entry {
        let who: String
        let end: @Sendable () -> Void
    }

    /// A place for one live stream, which becomes free when this object is released.
    final class Place: Sendable {
        private let limit: ListenerLimit
        private let number: UInt64

        fileprivate init(_ limit: ListenerLimit, _ number: UInt64) {
            self.limit = limit
            self.number = number
        }

        deinit { limit.leave(number) }
    }

    private let entries = Mutex((last: UInt64(0), all: [UInt64: Entry]()))

    /// Takes a place for a person at an address.
    ///
    /// If all places are taken, the person with the most places loses their oldest place, provided that they have at
    /// least two places more than the new listener.
    ///
    /// - Returns: The place, or `nil` if none is available.
    func enter(_ who: String, end: @escaping @Sendable () -> Void) -> Place? {
        let (number, loser): (UInt64?, Entry?) = entries.withLock { entries in
            var loser: Entry?
            if entries.all.count >= Self.most {
                let counts = Dictionary(grouping: entries.all.values, by: \.who).mapValues(\.count)
                let greedy = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }
                guard let greedy, greedy.value > counts[who, default: 0] + 1,
                    let oldest = entries.all.filter({ $0.value.who == greedy.key }).keys.min()
                else { return (nil, nil) }
                loser = entries.all.removeValue(forKey: oldest)
            }
            entries.last += 1
            entries.all[entries.last] = Entry(who: who, end: end)
            return (entries.last, loser)
        }
        loser?.end()
        return number.map { Place(self, $0) }
    }

    private func leave(_ number: UInt64) { entries.withLock { $0.all[number] = nil } }
}
