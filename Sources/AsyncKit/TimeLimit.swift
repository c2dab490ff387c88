/// Returns the result of an operation, or `nil` if the operation exceeds the time limit.
///
/// In that case, the operation is canceled, and this function waits until it has ended.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
