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

/// Returns the address of a host in one of the IPv6 networks that are reserved for documentation.
private func address(network: UInt8, host: UInt16) throws -> PeerAddress {
    let bytes: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0]
    return try #require(PeerAddress(bytes + [UInt8(host >> 8), UInt8(host & 0xFF)]))
}

@Suite("UnauthenticatedRateLimiter")
struct UnauthenticatedRateLimiterTests {
    /// Takes all units that an address can take at the given time, and returns their number.
    private func taken(_ allowances: inout UnauthenticatedRateLimiter, _ address: PeerAddress, _ milliseconds: Int)
        -> Int
    {
        var count = 0
        while count < 10_000, allowances.take(from: address, now: at(milliseconds)) { count += 1 }
        return count
    }

    @Test("grants each address 512 units, then 32 a second")
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

    @Test("refunds units up to the full allowance")
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

    @Test("treats an IPv4-mapped IPv6 address as IPv4, without a network")
    func mapped() throws {
        let mapped = try address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1)
        #expect(mapped == (try address(192, 0, 2, 1)))
        #expect(mapped.network == nil)
        #expect(PeerAddress([1, 2, 3]) == nil)
        #expect(try address(network: 1, host: 1).network == address(network: 1, host: 2).network)
        #expect(try address(network: 1, host: 1).network != address(network: 2, host: 1).network)
    }

    @Test("grants an IPv6 network 4096 units, then 256 a second, and each of its addresses 512")
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
        "serves a proven address even if the units of its network are used up",
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
        // The phone's requests don't use up the units of its neighbors.
        #expect(taken(&allowances, phone, 1000) == 32)
        #expect(taken(&allowances, unknownPeer, 1000) == 256)
    }

    @Test("remembers the latest 128 proven addresses")
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

    @Test("remembers 1024 addresses, and forgets the address that used the fewest units")
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
        // Addresses with a full allowance are dropped.
        #expect(taken(&allowances, try address(192, 0, 2, 9), 1000) == 512)
        #expect(allowances.count == 2)
    }
}

// Serialized, because each test computes for a second, and tests in parallel would exceed their timeouts.
@Suite("Rate limiting through the server", .serialized, .timeout)
struct RateLimitTests {
    private let flood: PeerAddress
    private let other: PeerAddress

    init() throws {
        flood = try address(192, 0, 2, 1)
        other = try address(192, 0, 2, 2)
    }

    @Test(
        "closes a connection after 511 unencrypted requests, and keeps sessions",
        arguments: [Request.verify, .setup, .identify, .accessories])
    func requests(_ request: Request) async throws {
        let house = try await House()
        let session = try await house.bridge.session(house.admin, from: flood)
        let (unknownPeer, _) = await house.bridge.connect(from: flood)
        var served = 0
        while served < 2000, (try? await unknownPeer.request(request.http)) != nil { served += 1 }
        #expect(served == 511)
        #expect(await unknownPeer.isClosed)
        // This is more than an unauthenticated peer may send.
        for _ in 0..<600 { #expect(try await session.read("id=2.9").status == 200) }
        await #expect(throws: (any Error).self) { _ = try await house.bridge.session(house.admin, from: flood) }
    }

    /// A request of an unauthenticated peer.
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

    @Test("doesn't limit a controller that succeeds in pair verify again and again")
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

    @Test("refunds the units of a controller when it pairs")
    func paired() async throws {
        let store = InMemoryAccessoryServerStore()
        let bridge = try await House(store, admin: .random()).bridge
        for _ in 0..<508 {
            let (unknownPeer, _) = await bridge.connect(from: flood)
            await unknownPeer.close()
        }
        let (controller, _) = await bridge.connect(from: flood)
        #expect(try await controller.pairs(store.stored.setupCode))
        #expect(try await controller.pairVerify(bridge.identity) == nil)
        _ = try await bridge.session(controller.identity, from: flood)
    }
}
