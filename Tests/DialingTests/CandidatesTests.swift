import TestTimeouts
import Testing

@testable import Dialing

@Suite("Addresses to try", .timeout)
struct CandidatesTests {
    /// The addresses that are left of a round.
    private func rest(_ candidates: inout Candidates<String>) -> [String] {
        var rest: [String] = []
        while let address = candidates.next() { rest.append(address) }
        return rest
    }

    @Test("a round tries each address once, the one that was right last before all others")
    func rounds() {
        var candidates = Candidates(["a", "b", "c"])
        #expect(rest(&candidates) == ["a", "b", "c"])
        #expect(candidates.isExhausted)
        candidates.answered("b")
        candidates.confirm()
        candidates.begin()
        #expect(rest(&candidates) == ["b", "a", "c"])
        #expect(candidates.tried == ["b", "a", "c"])
    }

    @Test("after an address where another peer answers, the round goes on with the others, slow ones last")
    func wrongPeer() {
        var candidates = Candidates(["slow", "wrong", "right"])
        _ = candidates.next()
        _ = candidates.next()
        candidates.answered("wrong")
        #expect(!candidates.isExhausted)
        #expect(rest(&candidates) == ["right", "slow"])
        candidates.begin()
        #expect(candidates.next() == "slow", "an answer alone proves nothing")
    }

    @Test("an address that appears during a round is tried in it, and one that disappears is not")
    func updated() {
        var candidates = Candidates(["a", "b"])
        _ = candidates.next()
        #expect(candidates.update(["c", "a", "d"]) == true)
        #expect(rest(&candidates) == ["c", "d"])
        #expect(candidates.update(["c", "a", "d"]) == false)
        candidates.answered("d")
        candidates.confirm()
        candidates.update(["a"])
        candidates.begin()
        #expect(rest(&candidates) == ["a"], "the last good address is gone")
    }
}
