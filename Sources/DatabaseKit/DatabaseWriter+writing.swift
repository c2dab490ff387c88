package import GRDB

extension DatabaseWriter {
    /// Writes in a transaction, on the database's own thread: the caller's executor is free meanwhile.
    ///
    /// Once begun it is not given up, also if the task is cancelled: whoever asked for it has told others already, such as an
    /// accessory that has its half of a pairing.
    package func writeToTheEnd<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            asyncWrite(change) { _, result in continuation.resume(with: result) }
        }
    }
}
