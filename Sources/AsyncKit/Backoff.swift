/// The pauses between attempts that fail in a row: each is twice as long as the one before, up to a limit.
package struct Backoff: Equatable, Sendable {
    private let first: Duration
    package var longest: Duration
    private var next: Duration

    package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// An attempt has failed.
    ///
    /// - Parameter share: the share of the pause to wait, 0 to 1. A random one (full jitter) keeps clients that lost one peer
    ///   from returning all at once.
    /// - Returns: the pause before the next attempt.
    package mutating func failed(share: Double = 1) -> Duration {
        defer { next = min(next * 2, longest) }
        return min(next, longest) * min(max(share, 0), 1)
    }

    package mutating func succeeded() { next = first }
}
