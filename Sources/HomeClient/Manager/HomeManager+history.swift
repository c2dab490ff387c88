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
}
