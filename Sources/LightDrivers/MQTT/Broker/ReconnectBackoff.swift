/// How long to wait before the next try: up to 1 second, then 2, 4 and so on to 60, each time any share of it.
///
/// The share is random (full jitter), so that bridges that lost one broker do not come back all at once.
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
