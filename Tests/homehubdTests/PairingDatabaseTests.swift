import DaemonKit
import DatabaseKit
import GRDB
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import TestTimeouts
import Testing

@testable import homehubd

@Suite("The pairing database", .timeout)
struct PairingDatabaseTests {
    private func pairing(_ number: UInt8, key: UInt8) throws -> AccessoryPairing {
        AccessoryPairing(
            deviceID: try #require(DeviceID(octets: [2, 0, 0, 0, 0, number])),
            publicKey: [UInt8](repeating: key, count: Ed25519.publicKeyLength))
    }

    @Test("creates the identity only once")
    func identity() async throws {
        let queue = try makeQueue()
        let identity = try await PairingDatabase(queue).identity()
        #expect(try await PairingDatabase(queue).identity() == identity)
        #expect(try await PairingDatabase(makeQueue()).identity() != identity)
    }

    @Test("stores the latest pairing of each accessory in order")
    func pairings() async throws {
        let vault = PairingDatabase(try makeQueue())
        // Store the pairings in the opposite order of their IDs.
        try await vault.keep(pairing(2, key: 1))
        try await vault.keep(pairing(1, key: 2))
        try await vault.keep(pairing(2, key: 3))
        #expect(try await vault.pairings() == [pairing(2, key: 3), pairing(1, key: 2)])
        try await vault.forget(pairing(2, key: 1).deviceID)
        try await vault.forget(pairing(3, key: 1).deviceID)
        #expect(try await vault.pairings() == [pairing(1, key: 2)])
        try await vault.keep(pairing(2, key: 1))
        #expect(try await vault.pairings() == [pairing(1, key: 2), pairing(2, key: 1)])
    }

    @Test("stores a pairing even if its task is canceled")
    func cancelled() async throws {
        let vault = PairingDatabase(try makeQueue())
        let pairing = try pairing(1, key: 1)
        let keeper = Task {
            while !Task.isCancelled { await Task.yield() }
            try await vault.keep(pairing)
        }
        keeper.cancel()
        try await keeper.value
        #expect(try await vault.pairings() == [pairing])
    }

    @Test(
        "reports invalid content as damage",
        arguments: [
            "DELETE FROM controller", "UPDATE controller SET longTermSeed = x'00'",
            "UPDATE controller SET identifier = x''", "UPDATE pairing SET publicKey = x'00'",
            "UPDATE pairing SET deviceID = 'here'",
        ])
    func damage(sql: String) async throws {
        let queue = try makeQueue()
        let vault = PairingDatabase(queue)
        _ = try await vault.identity()
        try await vault.keep(pairing(1, key: 1))
        try vault.check()
        try await queue.write { try $0.execute(sql: sql) }
        #expect(throws: DamagedDatabase.self) { try vault.check() }
    }
}
