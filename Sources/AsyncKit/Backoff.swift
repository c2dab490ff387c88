/// The delays between consecutive failed attempts.
///
/// Each delay is twice the previous one, up to a limit.
package struct Backoff: Equatable, Sendable {
    private let first: Duration
    package var longest: Duration
    private var next: Duration

    package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// Records a failed attempt.
    ///
    /// - Parameter share: The share of the delay to wait, 0 to 1. A random share (full jitter) prevents clients that
    ///   lost the same peer from reconnecting simultaneously.
    /// - Returns: The delay before the next attempt.
    package mutating func failed(share: Double = 1) -> Duration {
        defer { next = min(next * 2, longest) }
        return min(next, longest) * min(max(share, 0), 1)
    }

    package mutating func succeeded() { next = first }
}
