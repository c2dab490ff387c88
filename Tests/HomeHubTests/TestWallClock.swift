import HomeHub
import HomeModel
import Synchronization

/// A wall clock that only tests advance and set, unless they let it run.
final class TestWallClock: Sendable {
    /// Noon of Monday, March 1, 2027, in UTC.
    static let noon = Timestamp(millisecondsSince1970: 1_803_902_400_000)

    private let state: Mutex<(reading: ClockReading, isRunning: Bool, zones: [String?: TimeZoneRules])>

    init(_ time: Timestamp = TestWallClock.noon) {
        state = Mutex((ClockReading(time: time, uptime: .zero), false, [nil: .utc]))
    }

    var reading: ClockReading { state.withLock { $0.isRunning ? .now : $0.reading } }

    /// Shows the system's time from now on.
    func run() { state.withLock { $0.isRunning = true } }

    /// Lets time pass.
    func advance(_ duration: Duration) {
        state.withLock { state in
            state.reading.uptime += duration
            state.reading.time = state.reading.time + duration
        }
    }

    /// Sets the clock.
    func set(by difference: Duration) { state.withLock { $0.reading.time = $0.reading.time + difference } }

    /// Changes the rules of the given time zone, or of the system's time zone for `nil`.
    func setRules(of name: String?, _ rules: TimeZoneRules?) { state.withLock { $0.zones[name] = rules } }

    func rules(of name: String?) -> TimeZoneRules? { state.withLock { $0.zones[name] } }
}

extension Timestamp {
    static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(millisecondsSince1970: time.millisecondsSince1970 + Int64(duration / .milliseconds(1)))
    }
}

/// The messages of automations.
final class TestMessages: MessageReceiver {
    private let received = Mutex<[String]>([])

    var texts: [String] { received.withLock(\.self) }

    func receive(_ message: TriggerMessage, home: String, automation: String) {
        received.withLock { $0.append("\(home), \(automation): \(message.text)") }
    }
}

extension TimeZoneRules {
    /// A time zone one hour east of Greenwich.
    static let oneHourEast: TimeZoneRules? = {
        // Each block has one type, with the offset 0, and an empty name (RFC 8536, 3).
        let counts: [UInt8] = [0, 0, 0, 0, 1, 1].flatMap { [0, 0, 0, $0] }
        let block = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts + [UInt8](repeating: 0, count: 7)
        return TimeZoneRules(file: block + block + Array("\n<+01>-1\n".utf8))
    }()
}
