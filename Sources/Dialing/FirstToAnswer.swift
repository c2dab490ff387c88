/// Connects to the first candidate that answers; each gets a head start on the next (Happy Eyeballs, RFC 8305).
///
/// Connections that answer later are closed. A canceled caller waits for nothing.
///
/// - Parameters:
///   - headStart: the time after which the next candidate is tried in addition.
///   - next: returns the next candidate, or `nil` without one for now. It is called again while an attempt is under
///     way, so that an address that is found meanwhile is tried, too.
///   - connect: connects to a candidate.
///   - close: closes a connection that isn't needed.
/// - Returns: the connection, which the caller closes, and its candidate.
/// - Throws: the last error of `connect`; `CancellationError` if the caller is canceled, or without candidates.
package func firstToAnswer<Candidate: Sendable, Connection: Sendable>(
    headStart: Duration, next: () async -> Candidate?,
    connect: @escaping @Sendable (Candidate) async throws -> Connection, close: (Connection) -> Void
) async throws -> (Connection, Candidate) {
    var failure: any Error = CancellationError()
    let winner = await withTaskGroup(of: RaceEvent<Candidate, Connection>.self) { group in
        var winner: (Connection, Candidate)?
        var (running, ticks) = (0, 0)
        func startNext() async {
            guard !Task.isCancelled else { return }
            if let candidate = await next() {
                running += 1
                group.addTask {
                    do {
                        return .connected(try await connect(candidate), candidate)
                    } catch {
                        return .failed(error)
                    }
                }
            }
            ticks += 1
            let tick = ticks
            group.addTask {
                try? await Task.sleep(for: headStart)
                return .overdue(tick)
            }
        }
        await startNext()
        // Without an attempt under way, no head start matters any more.
        if running == 0 { group.cancelAll() }
        for await event in group {
            switch event {
            case .connected(let connection, let candidate):
                running -= 1
                if winner == nil {
                    winner = (connection, candidate)
                    group.cancelAll()
                } else {
                    close(connection)
                }
            case .failed(let error):
                running -= 1
                guard winner == nil else { break }
                failure = error
                await startNext()
                if running == 0 { group.cancelAll() }
            case .overdue(let tick):
                if winner == nil, running > 0, tick == ticks { await startNext() }
            }
        }
        return winner
    }
    guard let winner else { throw failure }
    guard !Task.isCancelled else {
        close(winner.0)
        throw CancellationError()
    }
    return winner
}

private enum RaceEvent<Candidate: Sendable, Connection: Sendable>: Sendable {
    case connected(Connection, Candidate)
    case failed(any Error)
    /// The head start of the attempt with this number is over.
    case overdue(Int)
}
