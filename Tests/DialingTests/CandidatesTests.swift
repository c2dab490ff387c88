import TestTimeouts
import Testing

@testable import Dialing

@Suite("Candidate addresses", .timeout)
struct CandidatesTests {
    /// Returns the remaining addresses of a round.
    private func rest(_ candidates: inout Candidates<String>) -> [String] {
        var rest: [String] = []
        while let address = candidates.next() { rest.append(address) }
        return rest
    }

    @Test("tries each address once, the last good one first")
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

    @Test("tries the other addresses after a wrong peer answers, slow ones last")
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

    @Test("tries an address that is added during a round, but not one that is removed")
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
