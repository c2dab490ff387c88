import Glibc
package import Testing

/// Ends a test that does not come to its end: records an issue that names the test, and cancels it.
///
/// The time is counted in turns of 50 ms that the test's process was given, not read from a clock: where the machine has
/// no time for us, the turns take longer and so does the timeout. `TEST_TIMEOUT_FACTOR` makes all of them longer, for
/// sanitizers.
package struct TestTimeout: SuiteTrait, TestTrait, TestScoping {
    /// The time that a test is given on a quiet machine.
    package let limit: Duration

    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // A test's own limit takes the place of its suite's, which stands before it.
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
            // Until then it may still cancel this task.
            _ = await watch.result
            return result
        }
        try result.get()
    }
}

private struct RunningTest: @unchecked Sendable {
    let name: String
    /// Valid as long as the test runs; may be canceled from any thread.
    let task: UnsafeCurrentTask?

    func cancel() { task?.cancel() }

    /// A test that does not end although it is canceled would keep the run from its end.
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
    /// A minute: a test that isn't stuck needs seconds, also on a busy machine.
    package static var timeout: Self { timeout(.seconds(60)) }

    /// As long as that, where a minute is not enough; say why.
    package static func timeout(_ limit: Duration) -> Self { TestTimeout(limit: limit) }
}

/// Waits until a condition is met; records an issue that names it if that takes longer than the limit, and throws.
///
/// - Parameters:
///   - what: what is awaited, for the issue.
///   - limit: how long to wait at most, counted as ``TestTimeout`` counts.
///   - sourceLocation: where the issue is shown.
///   - isMet: asked again and again.
/// - Throws: ``ConditionTimeout``, and what the condition throws.
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
        // Long turns lose less of their time to others, so that this limit is over before the test's.
        pause = min(pause * 2, .milliseconds(20))
    }
    if try await isMet() { return }
    Issue.record("did not happen within \(limit): \(what)", sourceLocation: sourceLocation)
    throw ConditionTimeout(what: what)
}

/// What ``eventually(_:within:sourceLocation:_:)`` throws after it has recorded its issue.
package struct ConditionTimeout: Error, CustomStringConvertible {
    package var what: String
    package var description: String { "never happened: \(what)" }
}

/// Time as the number of times that the process was given a turn.
enum Turns {
    static let factor = getenv("TEST_TIMEOUT_FACTOR").flatMap { Int(String(cString: $0)) } ?? 1

    static func pass(_ limit: Duration) async throws {
        let pause = Duration.milliseconds(50)
        for _ in 0..<Int(limit / pause) * factor { try await Task.sleep(for: pause) }
    }
}
