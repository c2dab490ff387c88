import Glibc
package import Testing

/// Ends a test that hangs: records an issue with the test's name, and cancels the test.
///
/// The time is counted in turns of 50 ms that the test's process was given, not read from a clock. On a busy machine,
/// the turns take longer and so does the timeout. `TEST_TIMEOUT_FACTOR` extends all timeouts, for sanitizers.
package struct TestTimeout: SuiteTrait, TestTrait, TestScoping {
    /// The time limit on an idle machine.
    package let limit: Duration

    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // A test's own limit replaces its suite's, which precedes it.
        let limits = test.traits.compactMap { ($0 as? TestTimeout)?.limit }
        guard testCase != nil, limits.last == limit else { return try await function() }
        let result = await withUnsafeCurrentTask { task in
            let running = RunningTest(name: test.name, task: task)
            let watch = Task {
                try await Turns.pass(limit)
                Issue.record("the test did not end within \(limit)", sourceLocation: test.sourceLocation)
                running.cancel()
                try await Turns.pass(limit)
                running.abandon()
            }
            let result = await Result { try await function() }
            watch.cancel()
            // Until then, the watch may still cancel this task.
            _ = await watch.result
            return result
        }
        try result.get()
    }
}

private struct RunningTest: @unchecked Sendable {
    let name: String
    /// The test's task; it is valid while the test runs and may be canceled from any thread.
    let task: UnsafeCurrentTask?

    func cancel() { task?.cancel() }

    /// Ends the process, because a test that ignores cancellation would keep the run from ending.
    func abandon() {
        print("\(name) does not end although it is canceled; the run ends here")
        fflush(nil)
        _exit(70)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Trait where Self == TestTimeout {
    /// A timeout of a minute; a test that doesn't hang needs seconds, even on a busy machine.
    package static var timeout: Self { timeout(.seconds(60)) }

    /// A given timeout, for tests that need more than a minute.
    ///
    /// State the reason.
    package static func timeout(_ limit: Duration) -> Self { TestTimeout(limit: limit) }
}

/// Waits until a condition is met.
///
/// If that exceeds the limit, records an issue with the condition's name and throws.
///
/// - Parameters:
///   - what: The condition's name, for the issue.
///   - limit: The maximum time to wait, counted as in ``TestTimeout``.
///   - sourceLocation: The location of the issue.
///   - isMet: The condition, which is evaluated repeatedly.
/// - Throws: ``ConditionTimeout``, or the condition's error.
package func eventually(
    _ what: String = "the condition", within limit: Duration = .seconds(30),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ isMet: () async throws -> Bool
) async throws {
    var (waited, pause) = (Duration.zero, Duration.milliseconds(1))
    while waited < limit * Turns.factor {
        if try await isMet() { return }
        try await Task.sleep(for: pause)
        waited += pause
        // Longer pauses lose less time to other processes, so that this limit ends before the test's.
        pause = min(pause * 2, .milliseconds(20))
    }
    if try await isMet() { return }
    Issue.record("did not happen within \(limit): \(what)", sourceLocation: sourceLocation)
    throw ConditionTimeout(what: what)
}

/// The error of ``eventually(_:within:sourceLocation:_:)`` after it has recorded its issue.
package struct ConditionTimeout: Error, CustomStringConvertible {
    package var what: String
    package var description: String { "never happened: \(what)" }
}

/// Time as the number of turns that the process was given.
enum Turns {
    static let factor = getenv("TEST_TIMEOUT_FACTOR").flatMap { Int(String(cString: $0)) } ?? 1

    static func pass(_ limit: Duration) async throws {
        let pause = Duration.milliseconds(50)
        for _ in 0..<Int(limit / pause) * factor { try await Task.sleep(for: pause) }
    }
}
