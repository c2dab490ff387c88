/// How long to wait before the next try: at most 1 s, then 2, 4, ... 60 s, each time any share of it (full jitter).
struct ReconnectBackoff: Equatable {
    private static let longest: Double = 60

    private var ceiling: Double = 1

    /// A try failed.
    ///
    /// - Parameter share: a random number, 0 to 1.
    /// - Returns: how long to wait.
    mutating func failed(share: Double) -> Duration {
        defer { ceiling = min(ceiling * 2, Self.longest) }
        return .seconds(ceiling * min(max(share, 0), 1))
    }

    /// A connection stood.
    mutating func succeeded() { ceiling = 1 }
}
