import Testing

@testable import LineRPC

@Suite("PeerCounts") struct PeerCountsTests {
    @Test("limits the connections of one user, and admits another user")
    func greedy() {
        let counts = PeerCounts(LineLimits(peers: 256, peersOfUser: 64))
        let refusals = (0..<256).map { _ in counts.entered(by: 1000) }
        #expect(refusals.prefix(64).allSatisfy { $0 == nil })
        #expect(refusals.dropFirst(64).allSatisfy { $0 == .peersOfUser })
        #expect(counts.entered(by: 1001) == nil)
        // Refused connections don't count.
        counts.left(by: 1000)
        #expect(counts.entered(by: 1000) == nil)
        #expect(counts.entered(by: 1000) == .peersOfUser)
    }

    @Test("limits the connections of all users, and admits a new one when another ends")
    func full() {
        let counts = PeerCounts(LineLimits(peers: 4, peersOfUser: 2))
        #expect([1, 1, 2, 2].map { counts.entered(by: $0) } == [nil, nil, nil, nil])
        #expect(counts.entered(by: 3) == .peers && counts.entered(by: nil) == .peers)
        counts.left(by: 1)
        #expect(counts.entered(by: nil) == nil)
    }
}
