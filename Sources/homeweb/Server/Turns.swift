import HTTPTypes
import Texts

/// Limits the number of concurrent operations. Further operations wait in order.
actor Turns {
    private var free: Int
    private let waitingLimit: Int
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Creates a limit of `count` concurrent and `waitingLimit` waiting operations.
    init(_ count: Int, waitingLimit: Int) {
        free = count
        self.waitingLimit = waitingLimit
    }

    /// Runs an operation when it is its turn.
    ///
    /// - Throws: `WebError` if too many operations are waiting, and the operation's errors.
    nonisolated func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        guard await take() else {
            throw WebError(.serviceUnavailable, localized("Too many requests are waiting. Try again soon."))
        }
        do {
            let result = try await body()
            await give()
            return result
        } catch {
            await give()
            throw error
        }
    }

    private func take() async -> Bool {
        if free > 0 {
            free -= 1
            return true
        }
        guard waiters.count < waitingLimit else { return false }
        await withCheckedContinuation { waiters.append($0) }
        return true
    }

    private func give() {
        if waiters.isEmpty { free += 1 } else { waiters.removeFirst().resume() }
    }
}
