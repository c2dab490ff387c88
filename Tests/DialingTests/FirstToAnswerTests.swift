import Synchronization
import TestTimeouts
import Testing

@testable import Dialing

@Suite("Happy Eyeballs", .timeout)
struct FirstToAnswerTests {
    struct Refused: Error {}

    /// A network in which each address answers immediately, refuses immediately, or answers only when the attempt is
    /// canceled.
    private final class Network: Sendable {
        let closed = Mutex<[String]>([])
        let attempts = Mutex<[String]>([])

        @Sendable func connect(_ address: String) async throws -> String {
            attempts.withLock { $0.append(address) }
            if address.hasPrefix("refuses") { throw Refused() }
            if address.hasPrefix("late") { for await _ in AsyncStream<Never>.makeStream().stream {} }
            return address
        }

        func race(_ addresses: [String], headStart: Duration) async throws -> String {
            var candidates = Candidates(addresses)
            return try await firstToAnswer(headStart: headStart) {
                candidates.next()
            } connect: {
                try await self.connect($0)
            } close: { connection in
                self.closed.withLock { $0.append(connection) }
            }.0
        }
    }

    private let network = Network()

    @Test("tries the next address after a head start, and closes late connections")
    func late() async throws {
        #expect(try await network.race(["late", "late 2", "prompt", "never"], headStart: .milliseconds(1)) == "prompt")
        #expect(Set(network.closed.withLock { $0 }) == ["late", "late 2"])
        #expect(network.attempts.withLock { $0 } == ["late", "late 2", "prompt"])
    }

    @Test("tries the next address immediately after a refusal, and fails if all addresses refuse")
    func refused() async throws {
        #expect(try await network.race(["refuses", "prompt"], headStart: .seconds(600)) == "prompt")
        await #expect(throws: Refused.self) {
            _ = try await network.race(["refuses", "refuses 2"], headStart: .seconds(600))
        }
        await #expect(throws: CancellationError.self) { _ = try await network.race([], headStart: .seconds(600)) }
    }

    @Test("tries an address that is added during the race")
    func added() async throws {
        var asked = 0
        let (winner, _) = try await firstToAnswer(headStart: .milliseconds(1)) {
            asked += 1
            return asked == 1 ? "late" : asked < 4 ? nil : "prompt"
        } connect: { [network] in
            try await network.connect($0)
        } close: { _ in
        }
        #expect(winner == "prompt")
    }

    @Test("closes all connections of a canceled race")
    func canceled() async {
        let race = Task { [network] in try await network.race(["late", "late 2"], headStart: .seconds(600)) }
        race.cancel()
        await #expect(throws: (any Error).self) { _ = try await race.value }
        #expect(network.closed.withLock { $0 } == network.attempts.withLock { $0 })
    }
}
