package import HAPProtocol

extension AccessoryDialer {
    /// Connects to whichever of several endpoints answers first; each gets a head start on the next (RFC 8305).
    ///
    /// - Parameters:
    ///   - endpoints: in the order in which to try.
    ///   - timing: the head start, and how long one connection may take.
    /// - Returns: a connection, which its caller closes, and where it leads.
    /// - Throws: ``Unreachable`` when none answers, or the caller is cancelled.
    package func dial(
        first endpoints: [AccessoryEndpoint], timing: ControllerTiming
    ) async throws(Unreachable) -> (any ByteConnection, AccessoryEndpoint) {
        let winner = await withTaskGroup(of: RaceEvent.self) { group in
            var winner: (any ByteConnection, AccessoryEndpoint)?
            var (started, failed) = (0, 0)
            func startNext() {
                guard started < endpoints.count else { return }
                let endpoint = endpoints[started]
                started += 1
                let number = started
                group.addTask {
                    guard let connection = try? await dial(endpoint, within: timing.connect) else { return .failed }
                    return .connected(connection, endpoint)
                }
                group.addTask {
                    try? await Task.sleep(for: timing.stagger)
                    return .overdue(number)
                }
            }
            startNext()
            for await outcome in group {
                switch outcome {
                case .connected(let connection, let endpoint):
                    if winner == nil {
                        winner = (connection, endpoint)
                        group.cancelAll()
                    } else {
                        connection.close()
                    }
                case .failed:
                    failed += 1
                    if winner == nil { startNext() }
                    // With none left, none needs a head start any more.
                    if failed == started { group.cancelAll() }
                case .overdue(let number): if winner == nil, number == started { startNext() }
                }
            }
            return winner
        }
        guard let winner else { throw Unreachable() }
        guard !Task.isCancelled else {
            winner.0.close()
            throw Unreachable()
        }
        return winner
    }
}

private enum RaceEvent: Sendable {
    case connected(any ByteConnection, AccessoryEndpoint)
    case failed
    /// The head start of the endpoint of this number is over.
    case overdue(Int)
}
