import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("A call that waits for its answer", .timeout)
struct ExchangeTests {
    @Test("ends with the first outcome")
    func first() async throws {
        let exchange = Exchange<Int>()
        exchange.finish(.success(1))
        exchange.finish(.failure(HomeError(.operationCancelled)))
        #expect(try await exchange.outcome.get() == 1)
    }

    @Test("ends when the answer arrives while it begins to wait")
    func race() async throws {
        for round in 0..<20_000 {
            let exchange = Exchange<Int>()
            async let outcome = exchange.outcome
            exchange.finish(.success(round))
            guard try await outcome.get() == round else { throw TestFailure("another outcome in round \(round)") }
        }
    }
}
