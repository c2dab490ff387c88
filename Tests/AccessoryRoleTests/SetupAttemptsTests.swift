import HAPProtocol
import Testing

@testable import AccessoryRole

private let start = ContinuousClock.now

private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

private func address(_ host: Int) throws -> PeerAddress {
    try #require(PeerAddress([10, 0, UInt8(host >> 8), UInt8(host & 0xFF)]))
}

/// Returns the address of a host in the home's IPv6 network.
private func address6(_ host: Int) throws -> PeerAddress {
    try #require(
        PeerAddress([0xFE, 0x80] + [UInt8](repeating: 0, count: 12) + [UInt8(host >> 8), UInt8(host & 0xFF)]))
}

/// The attempts of several peers at one server.
private final class Peers {
    var attempts: SetupAttempts

    init(failures: Int = 0) { attempts = SetupAttempts(failures: failures) }
    init(_ other: Peers) { attempts = other.attempts }

    func mayBegin(
        _ connection: ConnectionID, at source: PeerAddress, rivalIsAnswered: Bool = false, now: ContinuousClock.Instant
    ) -> Bool {
        attempts.admits(connection, from: source, rivalIsAnswered: rivalIsAnswered, now: now)
    }

    /// Starts an attempt if the connection is admitted, and returns whether it is.
    func begins(_ connection: ConnectionID, at source: PeerAddress, now: ContinuousClock.Instant) -> Bool {
        guard mayBegin(connection, at: source, now: now) else { return false }
        attempts.received(from: connection, at: source, now: now)
        return true
    }

    /// Makes an attempt with a wrong proof if the connection is admitted, and returns whether it is.
    @discardableResult
    func guesses(_ connection: ConnectionID, at source: PeerAddress, now: ContinuousClock.Instant) -> Bool {
        guard begins(connection, at: source, now: now) else { return false }
        attempts.failed(at: source, now: now)
        attempts.release(connection, now: now)
        return true
    }
}

@Suite("SetupAttempts")
struct SetupAttemptsTests {
    private let a = ConnectionID(1)
    private let b = ConnectionID(2)

    @Test("admits one connection at a time, until it is silent for 30 s")
    func turn() throws {
        let peers = Peers()
        let (x, y) = (try address(1), try address(2))
        #expect(peers.begins(a, at: x, now: at(0)))
        #expect(peers.attempts.rival(of: a) == nil && peers.attempts.rival(of: b) == a)
        // The turn belongs to the connection, not to the source.
        #expect(!peers.mayBegin(b, at: x, now: at(1)))
        #expect(!peers.mayBegin(b, at: y, now: at(29.9)))
        #expect(!peers.mayBegin(b, at: y, rivalIsAnswered: true, now: at(30)))
        #expect(peers.begins(b, at: y, now: at(30)))
        #expect(peers.attempts.rival(of: a) == b)
        peers.attempts.release(a, now: at(30))
        #expect(!peers.mayBegin(a, at: x, now: at(30)))
        peers.attempts.release(b, now: at(31))
        #expect(peers.begins(a, at: x, now: at(31)))
    }

    @Test("gives the turn to another source if a connection sends no valid proof within 60 s of its first M1")
    func turnLimit() throws {
        let (x, y) = (try address(1), try address(2))
        for isProven in [false, true] {
            let peers = Peers()
            for second in stride(from: 0, through: 40, by: 20) {
                #expect(peers.begins(a, at: x, now: at(Double(second))))
            }
            if isProven { peers.attempts.proved() }
            #expect(!peers.mayBegin(b, at: y, now: at(59.9)))
            #expect(peers.mayBegin(b, at: y, now: at(60)) == !isProven)
        }
        // The turn continues as long as no other source requests it.
        let peers = Peers()
        for second in stride(from: 0.0, through: 600, by: 20) { #expect(peers.begins(a, at: x, now: at(second))) }
        #expect(peers.begins(b, at: y, now: at(601)))
    }

    @Test("doesn't admit a source twice in a row while another source waits")
    func waiting() throws {
        let (x, y) = (try address(1), try address(2))
        let peers = Peers()
        #expect(peers.begins(a, at: x, now: at(0)))
        #expect(!peers.mayBegin(b, at: y, now: at(10)))
        // The source isn't admitted, neither with a new connection nor by starting over.
        let again = Peers(peers)
        again.attempts.release(a, now: at(20))
        #expect(!again.mayBegin(ConnectionID(3), at: x, now: at(20)))
        #expect(again.begins(b, at: y, now: at(21)))
        for second in [29, 58, 59.9] { #expect(peers.begins(a, at: x, now: at(second))) }
        #expect(!peers.mayBegin(a, at: x, now: at(60)))
        // A source that doesn't return for 60 s no longer waits.
        peers.attempts.release(a, now: at(60))
        #expect(!peers.mayBegin(a, at: x, now: at(69.9)))
        #expect(peers.mayBegin(a, at: x, now: at(70)))
    }

    @Test("counts the time of a turn for all connections of a source")
    func sameSource() throws {
        let (x, y) = (try address(1), try address(2))
        let peers = Peers()
        #expect(peers.begins(a, at: x, now: at(0)))
        #expect(peers.begins(b, at: x, now: at(30)))
        #expect(!peers.mayBegin(a, at: y, now: at(59)))
        #expect(peers.begins(a, at: y, now: at(60)))
    }

    @Test(
        "delays a source after its wrong proofs",
        arguments: [
            (1, 0.0), (3, 0), (4, 2), (5, 4), (8, 32), (12, 512), (13, 600), (100, 600),
        ])
    func pauses(count: Int, seconds: Double) {
        #expect(SetupAttempts.pause(afterWrongProofs: count) == .seconds(seconds))
    }

    @Test(
        "delays failed and new sources after failures of any source",
        arguments: [
            (9, 0.0, 0.0), (10, 2, 0), (19, 2, 0), (20, 4, 1), (39, 8, 1), (40, 16, 2), (59, 32, 2), (60, 64, 5),
            (79, 128, 5), (80, 256, 30), (99, 512, 30),
        ])
    func commonPauses(failures: Int, failed: Double, new: Double) {
        #expect(SetupAttempts.pause(afterFailures: failures) == .seconds(failed))
        #expect(SetupAttempts.pauseOfNewSources(afterFailures: failures) == .seconds(new))
    }

    @Test("doesn't count a refused request as a failure, or extend the pause")
    func refused() throws {
        let x = try address(1)
        let peers = Peers()
        for _ in 0..<4 { #expect(peers.guesses(a, at: x, now: at(0))) }
        for second in stride(from: 0.0, to: 2, by: 0.01) { #expect(!peers.guesses(a, at: x, now: at(second))) }
        #expect(peers.attempts.failures == 4)
        #expect(peers.attempts.pause(of: x, now: at(0.5)) == .seconds(1.5))
        #expect(peers.guesses(a, at: x, now: at(2)))
        // The pause doesn't apply to other sources.
        #expect(peers.mayBegin(b, at: try address(2), now: at(2)))
    }

    @Test("ends all pauses after a correct proof, an unlock or a restart; only a restart keeps the count")
    func reset() throws {
        let x = try address(1)
        let peers = Peers()
        for _ in 0..<4 { #expect(peers.guesses(a, at: x, now: at(0))) }
        #expect(peers.attempts.pause(of: x, now: at(0)) > .zero)
        let unlocked = Peers(peers)
        unlocked.attempts.reset()
        #expect(unlocked.attempts.failures == 0 && unlocked.mayBegin(a, at: x, now: at(0)))
        #expect(peers.begins(a, at: x, now: at(3)))
        peers.attempts.proved()
        peers.attempts.release(a, now: at(3))
        #expect(peers.attempts.failures == 0 && peers.mayBegin(b, at: x, now: at(3)))
        let restarted = Peers(failures: 99)
        #expect(!restarted.attempts.areExhausted)
        #expect(restarted.guesses(a, at: x, now: at(0)))
        #expect(restarted.attempts.areExhausted)
    }

    @Test("gives no advantage to an IPv6 host that uses many addresses, and rarely delays its neighbors")
    func network() throws {
        let peers = Peers()
        let neighbor = try address6(60_000)
        // One host uses one address.
        for _ in 0..<7 { peers.guesses(a, at: try address6(1), now: at(0)) }
        #expect(peers.attempts.pause(of: try address6(1), now: at(0)) > .zero)
        #expect(peers.attempts.pause(of: neighbor, now: at(0)) == .zero)
        // One host uses thousands of addresses.
        var admitted = 0
        for host in 2..<6000 where peers.guesses(a, at: try address6(host), now: at(Double(host) / 100)) {
            admitted += 1
        }
        #expect(admitted < 60)
        #expect(peers.attempts.pause(of: neighbor, now: at(60)) > .zero)
        // The pause doesn't apply to an IPv4 host, which also takes precedence over the IPv6 host.
        #expect(peers.begins(b, at: try address(1), now: at(62)))
    }

    @Test("remembers 512 sources, and keeps the sources with the most lost turns")
    func memory() throws {
        let peers = Peers()
        let x = try address(60_000)
        for _ in 0..<4 { peers.guesses(a, at: x, now: at(0)) }
        #expect(peers.begins(a, at: try address(60_001), now: at(0)))
        for host in 0..<10_000 { #expect(!peers.mayBegin(b, at: try address(host), now: at(1))) }
        #expect(peers.attempts.sourceCount == SetupAttempts.maximumSources)
        #expect(peers.attempts.pause(of: x, now: at(1)) > .zero)
        peers.attempts.release(a, now: at(1))
        #expect(peers.attempts.pause(of: x, now: at(1)) > .zero)
        // After a day, a source is dropped.
        for host in 0..<2 { _ = peers.mayBegin(b, at: try address(host), now: at(90_000)) }
        #expect(peers.guesses(a, at: x, now: at(90_001)))
        #expect(peers.attempts.pause(of: x, now: at(90_001)) == .zero)
    }

    /// Simulates many sources that guess continuously, and an owner who tries from time to time.
    @Test(
        "has attempts left after a minute of guesses, and lets the owner pair",
        arguments: [(sources: 1, asks: 15.0), (50, 2), (50, 15), (50, 55), (250, 2)])
    func noise(sources: Int, asks: Double) throws {
        let peers = Peers()
        let owner = try address(60_000)
        var ownerPaired: Double?
        var nextAsk = 0.5
        for tick in 0..<9000 {
            let now = Double(tick) / 100
            for guess in 0..<4 {
                peers.guesses(a, at: try address((tick * 4 + guess) % sources), now: at(now))
            }
            if tick == 6000 { #expect(peers.attempts.failures < 75, "after a minute") }
            if ownerPaired == nil, now >= nextAsk {
                nextAsk += asks
                if peers.mayBegin(b, at: owner, now: at(now)) { ownerPaired = now }
            }
        }
        // If 250 addresses guess, nothing distinguishes the owner from them, but the attempts aren't used up.
        if sources <= 50 { #expect(ownerPaired.map { $0 < 90 } == true) }
        #expect(peers.attempts.failures < 90)
    }
}
