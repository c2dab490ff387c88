package import GRDB

extension DatabaseWriter {
    /// Writes in a transaction on the database's own thread, without blocking the caller's executor.
    ///
    /// Once started, the transaction completes even if the task is canceled, because another device may already rely on
    /// it, such as an accessory that has stored its half of a pairing.
    package func writeToTheEnd<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            asyncWrite(change) { _, result in continuation.resume(with: result) }
        }
    }
}
