/// Runs operations in order, each after the previous one has ended.
///
/// An operation runs to its end, even if its caller is canceled.
package actor SerialQueue {
    private(set) var last: Task<Void, Never>?

    package init() {}

    /// Runs an operation after all earlier ones.
    ///
    /// - Throws: The error of the operation. Later operations run nevertheless.
    package func run<Value: Sendable, Failure: Error>(
        _ operation: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let former = last
        let task = Task { () -> Result<Value, Failure> in
            await former?.value
            do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }
}
