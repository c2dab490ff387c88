import AsyncKit
import TestTimeouts
import Testing

@Suite("Backoff", .timeout)
struct BackoffTests {
    @Test("waits a random share of 1, 2, 4 ... 60 seconds")
    func pauses() {
        var backoff = Backoff()
        #expect((0..<8).map { _ in backoff.failed() / .seconds(1) } == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(backoff.failed(share: 0) == .zero)
        #expect(backoff.failed(share: 0.5) == .seconds(30))
        backoff.succeeded()
        #expect(backoff.failed() == .seconds(1))
    }

    @Test("adapts to a changed limit")
    func limit() {
        var backoff = Backoff()
        for _ in 0..<8 { _ = backoff.failed() }
        backoff.longest = .seconds(10)
        #expect((0..<2).map { _ in backoff.failed() } == [.seconds(10), .seconds(10)])
        backoff.longest = .seconds(60)
        #expect((0..<4).map { _ in backoff.failed() / .seconds(1) } == [10, 20, 40, 60])
    }
}
