/// Connects to the first candidate that answers.
///
/// Each candidate has a head start over the next one (Happy Eyeballs, RFC 8305).
///
/// If the caller is canceled, all attempts are canceled. In any case, the function returns only after all attempts have
/// ended. Connections that aren't returned are closed.
///
/// - Parameters:
///   - headStart: The time after which the next candidate is tried, too.
///   - next: A closure that returns the next candidate, or `nil` if there is no other one at the moment. It is called
///     again during later attempts, so that added addresses are also tried.
///   - connect: A closure that connects to a candidate. It should return soon after its task is canceled.
///   - close: A closure that closes a connection that isn't needed.
/// - Returns: The connection, which the caller must close, and its candidate.
/// - Throws: The last error of `connect`, or `CancellationError` if the caller is canceled or no candidate exists.
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
        // If no attempt is running, don't wait for the head start.
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
