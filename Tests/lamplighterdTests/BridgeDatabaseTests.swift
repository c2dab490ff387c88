import DaemonKit
import GRDB
import Glibc
import HAPAccessory
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import LightKit
import Logging
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("The bridge's memory", .timeout)
struct BridgeDatabaseTests {
    private func queue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try BridgeDatabase.migrator.migrate(queue)
        return queue
    }

    @Test("it keeps the contract of stores")
    func contract() async throws {
        let queue = try queue()
        let contract = StoreContract {
            let database = BridgeDatabase(queue)
            return (database, try await database.load())
        }
        for violation in try await contract.violations() { Issue.record("\(violation)") }
    }

    @Test("in a thousand steps no identity changes hands, and c# follows the database", arguments: [5, 6] as [UInt64])
    func walk(seed: UInt64) async throws {
        let queue = try queue()
        var walk = IdentityWalk(seed: seed) {
            let database = BridgeDatabase(queue)
            return (database, try await database.load())
        }
        for violation in try await walk.violations() { Issue.record("\(violation)") }
    }

    @Test("the identity is made once, and differs from bridge to bridge")
    func identity() async throws {
        let queue = try queue()
        let first = try await BridgeDatabase(queue).load()
        #expect(try await BridgeDatabase(queue).load() == first)
        // Marked as no hardware address, and not as a group's.
        #expect(first.identity.deviceID.octets[0] & 0x03 == 0x02)
        #expect(first.configuration == StoredConfiguration(number: 1, databaseHash: []))
        let other = try await BridgeDatabase(self.queue()).load()
        #expect(other.identity != first.identity)
        #expect(other.identity.deviceID != first.identity.deviceID)
    }

    @Test("pairings come back in their order after each change")
    func order() async throws {
        let queue = try queue()
        let database = BridgeDatabase(queue)
        _ = try await database.load()
        var list = PairingList()
        for index in 0..<10 { list.set(ControllerIdentity.random().pairing(isAdmin: index == 9)) }
        try await database.save(list)
        #expect(try await BridgeDatabase(queue).load().pairings == list)
        list.remove(list.pairings[3].controller)
        var changed = list.pairings[0]
        changed.isAdmin = true
        list.set(changed)
        try await database.save(list)
        #expect(try await BridgeDatabase(queue).load().pairings == list)
    }

    @Test("the port is kept")
    func port() async throws {
        let queue = try queue()
        let database = BridgeDatabase(queue)
        _ = try await database.load()
        #expect(try await database.port() == nil)
        try await database.save(port: 65535)
        #expect(try await BridgeDatabase(queue).port() == 65535)
        _ = try await database.load()
    }

    @Test("a file that is closed and opened again says the same")
    func file() async throws {
        let folder = "/tmp/bridge-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let path = folder + "/bridge.sqlite"
        defer {
            for suffix in ["", "-wal", "-shm", ".lock"] { unlink(path + suffix) }
            rmdir(folder)
        }
        func open() throws -> DatabaseFile {
            try DatabaseFile(
                path: path, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        func load(_ change: (BridgeDatabase) async throws -> Void = { _ in }) async throws -> StoredServer {
            let file = try open()
            let database = BridgeDatabase(file.queue)
            _ = try await database.load()
            try await change(database)
            let stored = try await database.load()
            try file.close()
            return stored
        }
        let written = try await load { database in
            try await fill(database)
        }
        #expect(written.pairings.pairings.count == 2)
        #expect(try await load() == written)
    }

    private func fill(_ database: BridgeDatabase) async throws {
        try await database.save(
            PairingList([
                ControllerIdentity.random().pairing(), ControllerIdentity.random().pairing(isAdmin: false),
            ]))
        var ids = InstanceIDs()
        _ = ids.id(of: .accessoryInformation)
        try await database.save(bridgeInstanceIDs: ids)
        try await database.save(port: 1234)
        try await database.save(StoredConfiguration(number: 5, databaseHash: Array(repeating: 1, count: 64)))
        try await database.save(
            StoredLight(
                key: LightKey(driver: "d", light: "l"), aid: AccessoryID(2), instanceIDs: ids,
                description: LightDescription(
                    id: "l", name: "L", capabilities: LightCapabilities(temperature: 153...500)),
                state: LightReport(on: true, brightness: 3)))
    }

    // MARK: Damage

    /// A column, and a value that it can never have.
    struct Damage: CustomTestStringConvertible, Sendable {
        let column: String
        let value: String
        var testDescription: String { "\(column) = \(value)" }

        init(_ column: String, _ value: String) {
            self.column = column
            self.value = value
        }
    }

    private static let description = #"'{"name":"L","kind":"light","brightness":true,"color":true,"transition":true"#

    @Test(
        "a damaged column is an error, never an unpaired bridge, another identity, or a trap",
        arguments: [
            Damage("server.deviceID", "x'01'"), Damage("server.deviceID", "''"),
            Damage("server.deviceID", "'11:22:33:44:55'"), Damage("server.deviceID", "'11:22:33:44:55:GG'"),
            Damage("server.longTermSeed", "x''"), Damage("server.longTermSeed", "zeroblob(31)"),
            Damage("server.longTermSeed", "zeroblob(33)"), Damage("server.longTermSeed", "7"),
            Damage("server.longTermSeed", "'12345678901234567890123456789012'"), Damage("server.setupCode", "x'00'"),
            Damage("server.setupCode", "'111-11-111'"), Damage("server.setupCode", "'1234'"),
            Damage("server.setupID", "x'00'"), Damage("server.setupID", "'ab12'"),
            Damage("server.failedAttempts", "-1"), Damage("server.failedAttempts", "'many'"),
            Damage("server.failedAttempts", "1.5"), Damage("server.failedAttempts", "9223372036854775807"),
            Damage("server.configurationNumber", "0"), Damage("server.configurationNumber", "65536"),
            Damage("server.configurationNumber", "'x'"), Damage("server.databaseHash", "7"),
            Damage("server.databaseHash", "zeroblob(63)"), Damage("server.databaseHash", "'x'"),
            Damage("server.instanceIDs", "x'00'"), Damage("server.instanceIDs", "''"),
            Damage("server.instanceIDs", "'[]'"), Damage("server.instanceIDs", #"'{"3E":0}'"#),
            Damage("server.instanceIDs", #"'{"3E":1,"43":1}'"#), Damage("server.instanceIDs", #"'{"3E":"1"}'"#),
            Damage("server.port", "0"), Damage("server.port", "65536"), Damage("server.port", "'x'"),
            Damage("server.port", "x'00'"), Damage("pairing.controller", "x''"), Damage("pairing.controller", "'x'"),
            Damage("pairing.controller", "zeroblob(37)"), Damage("pairing.publicKey", "x''"),
            Damage("pairing.publicKey", "zeroblob(31)"), Damage("pairing.publicKey", "'x'"),
            Damage("pairing.isAdmin", "0"), Damage("pairing.isAdmin", "2"), Damage("pairing.isAdmin", "'x'"),
            Damage("pairing.isAdmin", "x'01'"), Damage("light.driver", "''"), Damage("light.driver", "x'41'"),
            Damage("light.light", "''"), Damage("light.light", "x'41'"), Damage("light.light", "hex(zeroblob(128))"),
            Damage("light.aid", "1"), Damage("light.aid", "0"), Damage("light.aid", "-2"), Damage("light.aid", "'x'"),
            Damage("light.aid", "2.5"), Damage("light.instanceIDs", "'{'"), Damage("light.instanceIDs", "x'00'"),
            Damage("light.description", "x'00'"), Damage("light.description", "'{}'"),
            Damage("light.description", #"'{"name":"L","kind":"light"}'"#),
            Damage("light.description", description + #","temperature":[500,153]}'"#),
            Damage("light.description", description + #","temperature":1}'"#),
            Damage("light.description", description + #","model":1}'"#),
            Damage("light.description", description.replacing("light", with: "lamp") + "}'"),
            Damage("light.state", "'x'"), Damage("light.state", "x'00'"), Damage("light.state", #"'{"on":1}'"#),
            Damage("light.state", #"'{"hue":1}'"#), Damage("light.state", #"'{"mired":"x"}'"#),
            Damage("light.state", #"'{"brightness":1.5}'"#), Damage("light.isRemoved", "2"),
            Damage("light.isRemoved", "x'01'"),
        ])
    func damage(damage: Damage) async throws {
        let queue = try queue()
        let database = BridgeDatabase(queue)
        _ = try await database.load()
        try await fill(database)
        let healthy = try await database.load()
        let parts = damage.column.split(separator: ".")
        // One pairing, so that it is the one that counts.
        try await queue.write { db in
            try db.execute(sql: "DELETE FROM pairing WHERE position > 0")
            try db.execute(sql: "UPDATE \(parts[0]) SET \(parts[1]) = \(damage.value)")
        }
        let error = await #expect(throws: DamagedDatabase.self) { try await database.load() }
        #expect(error?.description.contains(healthy.setupCode.text) == false)
        if parts[1] == "port" { await #expect(throws: DamagedDatabase.self) { try await database.port() } }
    }

    @Test("a lost identity beside pairings or lights is an error; nothing at all is a new bridge")
    func lost() async throws {
        let queue = try queue()
        let database = BridgeDatabase(queue)
        let first = try await database.load()
        try await queue.write { try $0.execute(sql: "DELETE FROM server") }
        #expect(try await database.load().identity != first.identity)
        try await fill(database)
        try await queue.write { try $0.execute(sql: "DELETE FROM server") }
        await #expect(throws: DamagedDatabase.self) { try await database.load() }
    }
}
