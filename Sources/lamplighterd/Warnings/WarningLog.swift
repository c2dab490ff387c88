import BridgeControl

/// The last warnings since the start of the daemon, newest first.
struct WarningLog {
    /// The maximum number of warnings.
    static let limit = 100

    private(set) var records: [WarningRecord] = []

    /// Records the current warnings.
    ///
    /// A problem that returns is recorded once, with the time of its return. Further warnings than the limit are ignored.
    ///
    /// - Parameters:
    ///   - warnings: All current warnings.
    ///   - time: The current time in ISO 8601.
    mutating func record(_ warnings: [BridgeWarning], at time: String) {
        var new = Array(warnings.prefix(Self.limit))
        var gone: [Int] = []
        for index in records.indices where records[index].until == nil {
            if let same = new.firstIndex(of: records[index].warning) {
                new.remove(at: same)
            } else {
                gone.append(index)
            }
        }
        for index in gone {
            if let same = new.firstIndex(where: { $0.isCountOf(records[index].warning) }) {
                records[index].message = new.remove(at: same).message
            } else {
                records[index].until = time
            }
        }
        for warning in new.reversed() {
            var times = 1
            if let former = records.firstIndex(where: { $0.until != nil && $0.warning.isCountOf(warning) }) {
                times += records.remove(at: former).times
            }
            records.insert(WarningRecord(warning, since: time, times: times), at: 0)
        }
        while records.count > Self.limit {
            // Current warnings never exceed the limit, so there is an old one.
            guard let oldest = records.lastIndex(where: { $0.until != nil }) else { break }
            records.remove(at: oldest)
        }
    }
}

extension BridgeWarning {
    /// Returns whether the warnings differ at most in a number, such as that of attempts.
    fileprivate func isCountOf(_ other: BridgeWarning) -> Bool {
        code == other.code && subject == other.subject && message.withoutDigits == other.message.withoutDigits
    }
}

extension String {
    fileprivate var withoutDigits: String { String(unicodeScalars.filter { !("0"..."9").contains($0) }) }
}
