extension HomeManager {
    /// Returns the past values of a characteristic, oldest first.
    ///
    /// homehubd keeps the values of the last 30 days: numbers and Booleans that accessories report, or that it polls.
    /// It combines changes of measurements, such as temperatures, within 10 seconds. Values during an outage of the
    /// accessory or of homehubd are missing.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic.
    ///   - start: The start of the period. The first entry is the value that was current then, if it is known, so its
    ///     time is usually earlier.
    ///   - end: The end of the period.
    ///   - interval: The length of the intervals for which only the last value is returned, such as a minute for a
    ///     graph; at least 1 ms. Use `nil` for all values.
    /// - Returns: The entries; empty if no value is known.
    /// - Throws: `notFound` if the characteristic doesn't exist, `operationNotSupported` if it has no history, because
    ///   it isn't a readable state or its values are strings; `invalidParameter` if the period or the interval is
    ///   empty.
    public func history(
        of characteristic: Characteristic.ID, from start: Timestamp, to end: Timestamp = .now,
        every interval: Duration? = nil
    ) async throws(HomeError) -> [HistoryEntry] {
        let milliseconds = interval.map { Int64(exactly: ($0 / .milliseconds(1)).rounded(.down)) ?? .max }
        var request = HistoryRequest(characteristic: characteristic, since: start, until: end, interval: milliseconds)
        var entries: [HistoryEntry] = []
        while true {
            let page = try await call(.history(request), deadline: timeouts.call) { json throws(HomeError) in
                try Self.understood { () throws(HomeError) in try [HistoryEntry](json: json) }
            }
            // A further page begins with the last entry of the previous page.
            entries += entries.isEmpty ? page : page.filter { $0.time > request.since }
            guard page.count >= HistoryRequest.maximumCount, let last = page.last, last.time > request.since else {
                return entries
            }
            request.since = last.time
        }
    }

    /// Returns the activity of a home, newest first: changes with their causes.
    ///
    /// homehubd keeps the activity of the last 30 days: values that people, apps, scenes and automations set, values
    /// that accessories report except for measurements, changes of the home, and accessories that didn't respond.
    ///
    /// Afterwards, ``HomeManagerEvent/activityUpdated(_:)`` is delivered once when there are newer entries or other
    /// changes.
    ///
    /// - Parameters:
    ///   - home: The home.
    ///   - rooms: The rooms whose accessories' changes are returned; `nil` for all changes. Changes without an accessory
    ///     are returned only if `rooms` and `accessories` are `nil`.
    ///   - accessories: The accessories whose changes are returned; `nil` for all changes.
    ///   - entry: The entry before which entries are returned, which is the last entry of the previous page; `nil` for
    ///     the latest entries.
    ///   - start: The start of the period; `nil` for the oldest entries.
    ///   - end: The end of the period; `nil` for now.
    ///   - count: The maximum number of entries; at most 100 are returned.
    /// - Returns: The entries.
    /// - Throws: `notFound` if the home doesn't exist, `invalidParameter` if the period is empty, `protocolMismatch` if
    ///   homehubd is too old.
    public func activity(
        of home: Home.ID, in rooms: Set<Room.ID>? = nil, accessories: Set<Accessory.ID>? = nil,
        before entry: ActivityEntry.ID? = nil, from start: Timestamp? = nil, to end: Timestamp? = nil, count: Int = 50
    ) async throws(HomeError) -> [ActivityEntry] {
        let request = ActivityRequest(
            home: home, rooms: rooms?.sorted(), accessories: accessories?.sorted(), before: entry, since: start,
            until: end, count: count)
        return try await call(.activity(request), deadline: timeouts.call) { json throws(HomeError) in
            try Self.understood { () throws(HomeError) in try [ActivityEntry](json: json) }
        }
    }

    /// Deletes the activity and the past values of an accessory, or of all accessories of a home.
    ///
    /// - Parameters:
    ///   - home: The home.
    ///   - accessory: The accessory; `nil` for the entire activity of the home and all past values.
    /// - Throws: `notFound` if the home or the accessory doesn't exist.
    public func removeHistory(of home: Home.ID, accessory: Accessory.ID? = nil) async throws(HomeError) {
        try await call(.removeHistory(home, accessory), deadline: timeouts.call) { _ throws(HomeError) in }
    }

    /// Makes requests on behalf of a person, whose name the activity then contains.
    ///
    /// An app with several users calls it for each change:
    ///
    /// ```swift
    /// try await HomeManager.acting(for: "Anna") {
    ///     try await manager.writeValue(.bool(true), to: lamp)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - person: The name of the person; `nil` for none. Only the first 64 characters are used.
    ///   - body: The closure that makes the requests.
    /// - Returns: The result of the body.
    /// - Throws: The errors of the body.
    public static func acting<Result>(
        for person: String?, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $person.withValue(person) { try await body() }
    }

    /// The name of the person on whose behalf the current task makes requests.
    @TaskLocal static var person: String?
}
