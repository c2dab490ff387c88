import Synchronization

/// Tells from outside whether Avahi's thread is inside a call that does not return.
final class CallWatch: Sendable {
    static let complaint = "Avahi or the system D-Bus does not answer"

    /// A call that takes longer than this is reported; libdbus itself gives up after 25 s.
    private static let timeout = Duration.seconds(3)

    private let began = Mutex<ContinuousClock.Instant?>(nil)

    func callBegan() { began.withLock { $0 = .now } }

    func callEnded() { began.withLock { $0 = nil } }

    var isStuck: Bool { began.withLock { $0.map { $0 + Self.timeout <= .now } ?? false } }
}
