/// The offsets of a time zone from UTC, past and future.
///
/// They come from a zoneinfo file (RFC 8536). Its table lists past changes; a rule in its last line continues the table.
package struct TimeZoneRules: Sendable, Hashable {
    /// A time from which an offset applies.
    struct Transition: Sendable, Hashable {
        /// The first second with the offset, in seconds since 1970.
        var start: Int
        /// The seconds to add to UTC.
        var offset: Int
    }

    /// The offset before the first transition, in seconds.
    private let firstOffset: Int
    /// The transitions of the table, in order.
    private let transitions: [Transition]
    /// The rule for the time after the last transition.
    private let rule: RecurringZoneRule?

    /// Coordinated Universal Time.
    package static let utc = TimeZoneRules(firstOffset: 0, transitions: [], rule: nil)

    private init(firstOffset: Int, transitions: [Transition], rule: RecurringZoneRule?) {
        self.firstOffset = firstOffset
        self.transitions = transitions
        self.rule = rule
    }

    /// Parses a zoneinfo file of version 2 or newer; returns `nil` if it isn't valid.
    package init?(file bytes: [UInt8]) {
        guard bytes.count <= TriggerLimits.timeZoneFile else { return nil }
        var reader = ZoneFileReader(bytes)
        // The first block has 32-bit times, for old programs.
        guard let old = reader.header(), old.version >= UInt8(ascii: "2"), reader.skip(old.size(bytesInTime: 4)),
            let header = reader.header(), header.types > 0
        else { return nil }
        var starts: [Int] = []
        for _ in 0..<header.transitions {
            guard let start = reader.integer(bytes: 8), starts.last.map({ $0 < start }) ?? true else { return nil }
            starts.append(start)
        }
        guard let indexes = reader.bytes(header.transitions) else { return nil }
        var offsets: [Int] = []
        for _ in 0..<header.types {
            guard let offset = reader.integer(bytes: 4), ZoneOffset.range ~= offset, reader.skip(2) else { return nil }
            offsets.append(offset)
        }
        guard reader.skip(header.sizeAfterTypes(bytesInTime: 8)), let footer = reader.footer(),
            indexes.allSatisfy({ Int($0) < offsets.count })
        else { return nil }
        var rule: RecurringZoneRule?
        if !footer.isEmpty {
            guard let parsed = RecurringZoneRule(footer) else { return nil }
            rule = parsed
        }
        let limit = ZoneOffset.latestTime
        self.init(
            firstOffset: offsets[0],
            transitions: zip(starts, indexes).filter { -limit...limit ~= $0.0 }.map {
                Transition(start: $0, offset: offsets[Int($1)])
            },
            rule: rule)
    }

    /// Returns the seconds to add to UTC at a time in seconds since 1970.
    package func offset(at time: Int) -> Int { transition(at: time).offset }

    /// Returns the time of a local date and a number of seconds after its midnight, in seconds since 1970.
    ///
    /// If the clocks skip this local time, the result is the first instant after the gap. If they repeat it, the result
    /// is its first occurrence.
    package func time(of date: CivilDate, seconds: Int) -> Int {
        let local = date.day1970 * 86_400 + seconds
        let margin = ZoneOffset.range.upperBound
        var current = transition(at: local - margin)
        for next in changes(after: local - margin, through: local + margin) {
            // The current offset applies until the local time at which the next offset begins.
            if local < next.start + current.offset { break }
            current = next
            if local < next.start + next.offset { return next.start }
        }
        return local - current.offset
    }

    /// Returns the local date and the seconds since its midnight at a time in seconds since 1970.
    package func local(_ time: Int) -> (date: CivilDate, seconds: Int) {
        let local = time + offset(at: time)
        let day = local.floorDivided(by: 86_400)
        return (CivilDate(day1970: day), local - day * 86_400)
    }

    /// Returns a Boolean value that indicates whether a date exists.
    ///
    /// Clocks skip a date if a place moves across the date line, as Samoa did in 2011.
    package func has(_ date: CivilDate) -> Bool {
        time(of: date, seconds: 0) < time(of: date.adding(days: 1), seconds: 0)
    }

    // MARK: Transitions

    private func transition(at time: Int) -> Transition {
        if let rule, time >= transitions.last?.start ?? .min {
            let year = CivilDate(day1970: time.floorDivided(by: 86_400)).year
            if let found = rule.transitions(from: year - 1, to: year + 1).last(where: { $0.start <= time }),
                found.start > transitions.last?.start ?? .min
            {
                return found
            }
            return transitions.last ?? Transition(start: .min, offset: rule.standardOffset)
        }
        let count = transitions.partitioningIndex { $0.start > time }
        return count > 0 ? transitions[count - 1] : Transition(start: .min, offset: firstOffset)
    }

    /// Returns the transitions in a period, in order.
    private func changes(after start: Int, through end: Int) -> [Transition] {
        let first = transitions.partitioningIndex { $0.start > start }
        var result = Array(transitions[first...].prefix { $0.start <= end })
        if let rule {
            let last = max(start, transitions.last?.start ?? .min)
            let years = [start, end].map { CivilDate(day1970: $0.floorDivided(by: 86_400)).year }
            result += rule.transitions(from: years[0] - 1, to: years[1] + 1).filter {
                $0.start > last && $0.start <= end
            }
        }
        return result
    }
}

/// The limits of offsets and times in zoneinfo files.
enum ZoneOffset {
    /// The possible offsets from UTC, in seconds (RFC 8536, 3.2).
    static let range = -93_599...93_599
    /// The latest time that matters, in seconds since 1970; far from the limits of 64-bit arithmetic.
    static let latestTime = 1 << 48
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that fulfills the predicate, which all later elements must fulfill, too.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
