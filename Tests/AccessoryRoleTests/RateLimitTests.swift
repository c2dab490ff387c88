import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole

private let start = ContinuousClock.now

private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

private func address(_ bytes: UInt8...) throws -> PeerAddress { try #require(PeerAddress(bytes)) }

/// Host `host` of network `network` of the documentation's IPv6 addresses.
private func address(network: UInt8, host: UInt16) throws -> PeerAddress {
    let bytes: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0]
    return try #require(PeerAddress(bytes + [UInt8(host >> 8), UInt8(host & 0xFF)]))
}

@Suite("What unauthenticated peers may use up")
struct UnauthenticatedRateLimiterTests {
    /// How many units an address gets now.
    private func taken(_ allowances: inout UnauthenticatedRateLimiter, _ address: PeerAddress, _ milliseconds: Int)
        -> Int
    {
        var count = 0
        while count < 10_000, allowances.take(from: address, now: at(milliseconds)) { count += 1 }
        return count
    }

    @Test("512 units of each address, then 32 a second; another address has its own")
    func host() throws {
        var allowances = UnauthenticatedRateLimiter()
        let (a, b) = (try address(192, 0, 2, 1), try address(192, 0, 2, 2))
        #expect(taken(&allowances, a, 0) == 512)
        #expect(taken(&allowances, a, 31) == 0)
        #expect(taken(&allowances, a, 32) == 1)
        #expect(taken(&allowances, a, 1032) == 32)
        #expect(taken(&allowances, b, 1032) == 512)
        #expect(taken(&allowances, a, 10_000_000) == 512)
    }

    @Test("what is given back is there again, and never more than all")
    func givenBack() throws {
        var allowances = UnauthenticatedRateLimiter()
        for address in [try address(192, 0, 2, 1), try address(network: 1, host: 1)] {
            for _ in 0..<2000 {
                for _ in 0..<3 { _ = allowances.take(from: address, now: at(0)) }
                allowances.giveBack(3, to: address, now: at(0))
            }
            #expect(allowances.count == 0)
            #expect(taken(&allowances, address, 0) == 512)
            allowances.giveBack(10, to: address, now: at(0))
            #expect(taken(&allowances, address, 0) == 10)
            allowances.giveBack(100_000, to: address, now: at(0))
            #expect(taken(&allowances, address, 0) == 512)
            allowances = UnauthenticatedRateLimiter()
        }
    }

    @Test("an IPv4 address is the same within IPv6, and has no network")
    func mapped() throws {
        let mapped = try address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1)
        #expect(mapped == (try address(192, 0, 2, 1)))
        #expect(mapped.network == nil)
        #expect(PeerAddress([1, 2, 3]) == nil)
        #expect(try address(network: 1, host: 1).network == address(network: 1, host: 2).network)
        #expect(try address(network: 1, host: 1).network != address(network: 2, host: 1).network)
    }

    @Test("one IPv6 address does not use up its network's; many do: 4096 units, then 256 a second")
    func network() throws {
        var allowances = UnauthenticatedRateLimiter()
        for _ in 0..<20_000 { _ = allowances.take(from: try address(network: 1, host: 0), now: at(0)) }
        #expect(taken(&allowances, try address(network: 1, host: 1), 0) == 512)
        var count = 1024
        for host in 2..<10_000 where allowances.take(from: try address(network: 1, host: UInt16(host)), now: at(0)) {
            count += 1
        }
        #expect(count == 4096)
        #expect(taken(&allowances, try address(network: 2, host: 1), 0) == 512)
        count = 0
        for host in 10_000..<20_000
        where allowances.take(from: try address(network: 1, host: UInt16(host)), now: at(1000)) {
            count += 1
        }
        #expect(count == 256)
    }

    @Test(
        "who has proven itself is served although its neighbours have used up their network, on the link as elsewhere",
        arguments: [
            [0xFE, 0x80, 0, 0, 0, 0, 0, 0], [0xFD, 0x12, 0x34, 0x56, 0x78, 0x9A, 0, 1],
            [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 1],
        ] as [[UInt8]])
    func proven(network: [UInt8]) throws {
        func host(_ number: UInt16) throws -> PeerAddress {
            try #require(PeerAddress(network + [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)]))
        }
        var allowances = UnauthenticatedRateLimiter()
        let (phone, unknownPeer) = (try host(1), try host(2))
        #expect(taken(&allowances, phone, 0) == 512)
        allowances.giveBack(512, to: phone, now: at(0))
        for number: UInt16 in 3..<1000 { _ = taken(&allowances, try host(number), 0) }
        #expect(taken(&allowances, unknownPeer, 0) == 0)
        #expect(taken(&allowances, phone, 0) == 512)
        // What it does costs its neighbours nothing, either.
        #expect(taken(&allowances, phone, 1000) == 32)
        #expect(taken(&allowances, unknownPeer, 1000) == 256)
    }

    @Test("128 addresses that have proven themselves are remembered, the latest")
    func provenBounded() throws {
        var allowances = UnauthenticatedRateLimiter()
        for number in 0..<200 {
            allowances.giveBack(1, to: try address(network: 1, host: UInt16(number)), now: at(number))
        }
        for number in 1000..<2000 { _ = taken(&allowances, try address(network: 1, host: UInt16(number)), 200) }
        var served: [Int] = []
        for number in 0..<200
        where allowances.take(from: try address(network: 1, host: UInt16(number)), now: at(200)) {
            served.append(number)
        }
        #expect(served == Array(72..<200))
    }

    @Test("1024 addresses are remembered; then the one that has used least is forgotten, and who floods is not")
    func bounded() throws {
        var allowances = UnauthenticatedRateLimiter()
        let flood = try address(192, 0, 2, 1)
        #expect(taken(&allowances, flood, 0) == 512)
        for number in 0..<3000 {
            _ = allowances.take(from: try address(10, 0, UInt8(number >> 8), UInt8(number & 0xFF)), now: at(0))
            #expect(allowances.count <= UnauthenticatedRateLimiter.maximumAddresses)
        }
        #expect(allowances.count == 1024)
        #expect(taken(&allowances, flood, 0) == 0)
        // What has come back is not remembered.
        #expect(taken(&allowances, try address(192, 0, 2, 9), 1000) == 512)
        #expect(allowances.count == 2)
    }
}

// One after the other: each of them computes for a second, and side by side they share the time that each is given.
@Suite("Unauthenticated peers who ask too much", .serialized, .timeout)
struct RateLimitTests {
    private let flood: PeerAddress
    private let other: PeerAddress

    init() throws {
        flood = try address(192, 0, 2, 1)
        other = try address(192, 0, 2, 2)
    }

    @Test("who connects and leaves 512 times is not served any more; others are, and it is, by and by")
    func churn() async throws {
        let house = try await House()
        for _ in 0..<512 {
            let (unknownPeer, _) = await house.bridge.connect(from: flood)
            #expect(await !unknownPeer.isClosed)
            await unknownPeer.close()
        }
        let (late, _) = await house.bridge.connect(from: flood)
        #expect(await late.isClosed)
        #expect(await house.bridge.server.statistics.throttled == 1)
        #expect(await house.bridge.server.connectionCount == 0)
        let session = try await house.bridge.session(house.admin, from: other)
        #expect(try await session.read("id=2.9").status == 200)
        await house.advance(.seconds(1))
        _ = try await house.bridge.session(house.admin, from: flood)
    }

    @Test(
        "a request in clear again and again ends with its connection, whatever it is; a session stays",
        arguments: [Request.verify, .setup, .identify, .accessories])
    func requests(_ request: Request) async throws {
        let house = try await House()
        let session = try await house.bridge.session(house.admin, from: flood)
        let (unknownPeer, _) = await house.bridge.connect(from: flood)
        var served = 0
        while served < 2000, (try? await unknownPeer.request(request.http)) != nil { served += 1 }
        #expect(served == 511)
        #expect(await unknownPeer.isClosed)
        // More than an unauthenticated peer has.
        for _ in 0..<600 { #expect(try await session.read("id=2.9").status == 200) }
        await #expect(throws: (any Error).self) { _ = try await house.bridge.session(house.admin, from: flood) }
    }

    /// What an unauthenticated peer asks for.
    enum Request: Sendable {
        case verify, setup, identify, accessories

        var http: HTTPRequest {
            switch self {
            case .verify:
                HTTPRequest(
                    .post, "/pair-verify",
                    body: PairingTLV.message(
                        1, (.publicKey, Curve25519KeyPair(secret: .random(count: 32)).publicKey)
                    ).encoded)
            case .setup: HTTPRequest(.post, "/pair-setup", body: PairingTLV.message(1, (.method, [0])).encoded)
            case .identify: HTTPRequest(.post, "/identify")
            case .accessories: HTTPRequest(.get, "/accessories")
            }
        }
    }

    @Test("who proves itself may come back as often as it likes, also after trying other identities")
    func proven() async throws {
        let house = try await House()
        for round in 0..<600 {
            let (hub, _) = await house.bridge.connect(house.admin, from: flood)
            if round.isMultiple(of: 100) {
                let (guest, _) = await house.bridge.connect(from: flood)
                #expect(try await guest.pairVerify(house.bridge.identity) != nil)
                await guest.close()
            }
            #expect(try await hub.pairVerify(house.bridge.identity) == nil)
            await hub.close()
        }
        #expect(await house.bridge.server.statistics.throttled == 0)
    }

    @Test("whoever has paired has used nothing up")
    func paired() async throws {
        let store = InMemoryAccessoryServerStore()
        let bridge = try await House(store, admin: .random()).bridge
        for _ in 0..<508 {
            let (unknownPeer, _) = await bridge.connect(from: flood)
            await unknownPeer.close()
        }
        let (controller, _) = await bridge.connect(from: flood)
        guard case .paired = try await controller.pairSetup(store.stored.setupCode) else {
            Issue.record("not paired")
            return
        }
        #expect(try await controller.pairVerify(bridge.identity) == nil)
        _ = try await bridge.session(controller.identity, from: flood)
    }
}
