import AccessoryRole
import DaemonKit
import DatabaseKit
import DeviceBridge
import DeviceKit
import FoundationEssentials
import GRDB
import HAPAccessory
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("BridgeDatabase over a long time", .timeout)
struct BridgeLifeTests {
    @Test("keeps identities and updates c# in a thousand steps", arguments: [5, 6] as [UInt64])
    func walk(seed: UInt64) async throws {
        let queue = try DatabaseQueue()
        try BridgeDatabase.migrator.migrate(queue)
        var walk = IdentityWalk(seed: seed) {
            let database = BridgeDatabase(queue)
            return (database, try await database.load())
        }
        for violation in try await walk.violations() { Issue.record("\(violation)") }
    }
}

@Suite("BridgeDatabase", .timeout)
struct BridgeDatabaseTests {
    private func queue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try BridgeDatabase.migrator.migrate(queue)
        return queue
    }

    /// Creates the database of a new bridge, with its identity.
    private func opened() async throws -> (DatabaseQueue, BridgeDatabase) {
        let queue = try queue()
        let database = BridgeDatabase(queue)
        _ = try await database.load()
        return (queue, database)
    }

    @Test("meets the store contract")
    func contract() async throws {
        let queue = try queue()
        let contract = StoreContract {
            let database = BridgeDatabase(queue)
            return (database, try await database.load())
        }
        for violation in try await contract.violations() { Issue.record("\(violation)") }
    }

    @Test(
        "derives the order of removed lights and the highest aid from a database of version 1",
        arguments: [0, 4])
    func version1(count: Int) async throws {
        let queue = try DatabaseQueue()
        try BridgeDatabase.migrator.migrate(queue, upTo: "1")
        try await queue.write { try ServerDatabase.makeIdentityIfMissing($0, remains: "SELECT 0") }
        let description = #"{"name":"L","kind":"light","brightness":true,"color":true,"transition":true}"#
        try await queue.write { db in
            for number in 0..<count {
                try db.execute(
                    sql: """
                        INSERT INTO light (driver, light, aid, instanceIDs, description, state, isRemoved)
                        VALUES ('d', ?, ?, '{}', ?, NULL, ?)
                        """,
                    arguments: ["\(number)", 7 - number, description, number < 3])
            }
        }
        try BridgeDatabase.migrator.migrate(queue)
        let stored = try await BridgeDatabase(queue).load()
        let (aids, removals): ([UInt64], [Int?]) = count == 0 ? ([], []) : ([4, 5, 6, 7], [nil, 5, 6, 7])
        #expect(stored.lights.map(\.aid.rawValue) == aids)
        #expect(stored.lights.map(\.removal) == removals)
        #expect(stored.highestAID == aids.last.map { AccessoryID($0) } ?? .bridge)
    }

    @Test("creates the identity once, different for each bridge")
    func identity() async throws {
        let queue = try queue()
        let first = try await BridgeDatabase(queue).load()
        #expect(try await BridgeDatabase(queue).load() == first)
        // These bits mark the device ID as a locally administered unicast address.
        #expect(first.server.identity.deviceID.octets[0] & 0x03 == 0x02)
        #expect(first.server.configuration == StoredConfiguration(number: 1, databaseHash: []))
        let other = try await BridgeDatabase(self.queue()).load()
        #expect(other.server.identity != first.server.identity)
        #expect(other.server.identity.deviceID != first.server.identity.deviceID)
    }

    @Test("stores the port")
    func port() async throws {
        let (queue, database) = try await opened()
        #expect(try await database.server.port() == nil)
        try await database.server.save(port: 65535)
        #expect(try await BridgeDatabase(queue).server.port() == 65535)
        _ = try await database.load()
    }

    // MARK: Atomicity

    /// Makes the database reject one kind of statement, as if the disk were full.
    private func refuse(_ statement: String, in queue: DatabaseQueue) async throws {
        try await queue.write {
            try $0.execute(
                sql: "CREATE TRIGGER refusal BEFORE \(statement) BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        }
    }

    private func allowAgain(in queue: DatabaseQueue) async throws {
        try await queue.write { try $0.execute(sql: "DROP TRIGGER refusal") }
    }

    @Test("stores all pairings or none, and keeps the former pairings after a failure")
    func wholePairings() async throws {
        let (queue, database) = try await opened()
        try await fill(database)
        let before = try await database.load()
        try await refuse("INSERT ON pairing WHEN NEW.position = 2", in: queue)
        var list = before.server.pairings
        list.set(ControllerIdentity.random().pairing(isAdmin: false))
        await #expect(throws: DatabaseError.self) { try await database.save(list) }
        #expect(try await database.load() == before)
        try await allowAgain(in: queue)
        try await database.save(list)
        #expect(try await database.load().server.pairings == list)
    }

    @Test("stores all states or none")
    func wholeStates() async throws {
        let (queue, database) = try await opened()
        let lights = (2...3).map(Self.light)
        for light in lights { try await database.save(light) }
        let before = try await database.load()
        for light in lights {
            try await refuse("UPDATE OF state ON light WHEN NEW.aid = \(light.aid.rawValue)", in: queue)
            let states = Dictionary(uniqueKeysWithValues: lights.map { ($0.key, LightReport(on: true)) })
            await #expect(throws: DatabaseError.self) { try await database.save(states: states) }
            #expect(try await database.load() == before)
            try await allowAgain(in: queue)
        }
    }

    @Test("undoes a reset that fails, and keeps lights and port")
    func reset() async throws {
        let (queue, database) = try await opened()
        try await fill(database)
        try await database.save(failedAttempts: 7)
        let before = try await database.load()
        for statement in ["DELETE ON server", "INSERT ON server", "UPDATE OF port ON server"] {
            try await refuse(statement, in: queue)
            await #expect(throws: DatabaseError.self) { try await database.server.resetAll() }
            #expect(try await database.load() == before, "\(statement)")
            try await allowAgain(in: queue)
        }
        try await database.server.resetAll()
        let after = try await database.load()
        #expect(after.server.identity.deviceID != before.server.identity.deviceID)
        #expect(after.server.identity != before.server.identity)
        #expect(after.server.setupCode != before.server.setupCode)
        #expect(after.server.pairings.isEmpty)
        #expect(after.server.failedAttempts == 0)
        #expect(after.server.configuration == StoredConfiguration(number: 1, databaseHash: []))
        #expect(after.lights == before.lights)
        #expect(try await database.server.port() == 1234)
    }

    @Test("stores a change even if its task is canceled")
    func cancelled() async throws {
        let (_, database) = try await opened()
        let list = PairingList([ControllerIdentity.random().pairing()])
        let storing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.save(list)
        }
        try await storing.value
        #expect(try await database.load().server.pairings == list)
    }

    @Test("counts failed writes, and reports them until a write succeeds")
    func failures() async throws {
        let (queue, database) = try await opened()
        try await database.save(failedAttempts: 1)
        try await refuse("UPDATE OF failedAttempts ON server", in: queue)
        await #expect(throws: DatabaseError.self) { try await database.save(failedAttempts: 2) }
        #expect(database.server.writes.failure == "the disk is full")
        #expect(database.server.writes.failures == 1)
        #expect(database.server.writes.successes == 1)
        try await allowAgain(in: queue)
        try await database.save(failedAttempts: 2)
        #expect(database.server.writes.failure == nil)
        #expect(database.server.writes.successes == 2)
    }

    @Test(
        "increases c# by any step, and continues with 1 after 65535",
        arguments: [(65535, 1, 1), (65530, 10, 5), (7, 10, 17)] as [(UInt16, Int, UInt16)])
    func raised(number: UInt16, step: Int, next: UInt16) async throws {
        let (_, database) = try await opened()
        try await database.save(StoredConfiguration(number: number, databaseHash: []))
        try await database.server.raiseConfigurationNumbers(by: step)
        #expect(try await database.load().server.configuration.number == next)
    }

    @Test(
        "stores identity, pairings and numbers of each bridge, and resets them all")
    func furtherBridges() async throws {
        let queue = try queue()
        let database = BridgeDatabase(queue)
        let first = try await database.load().server
        try await fill(database)
        let second = database.server.server(2)
        let made = try await second.make()
        #expect(made.identity.deviceID != first.identity.deviceID && made.setupCode != first.setupCode)
        // The same controller may be paired with both bridges.
        let admin = try await database.load().server.pairings.pairings[0]
        try await second.save(PairingList([admin]))
        try await second.save(failedAttempts: 7)
        try await second.save(StoredConfiguration(number: 9, databaseHash: []))
        try await second.save(port: 2)
        var light = Self.light(9)
        light.bridge = 2
        try await database.save(light)
        let stored = try await database.load()
        #expect(stored.server.pairings.pairings.count == 2 && stored.server.failedAttempts != 7)
        let further = try #require(stored.furtherServers[2])
        #expect(further.identity == made.identity && further.pairings == PairingList([admin]))
        #expect(further.failedAttempts == 7 && further.configuration.number == 9)
        #expect(stored.lights.first { $0.aid == light.aid }?.bridge == 2)
        try await database.server.resetAll()
        let reset = try await database.load()
        #expect(reset.furtherServers[2]?.identity.deviceID != made.identity.deviceID)
        #expect(reset.furtherServers[2]?.pairings.isEmpty == true && reset.server.pairings.isEmpty)
        #expect(try await second.port() == 2)
    }

    @Test("removes an additional bridge that has neither lights nor pairings")
    func unusedBridge() async throws {
        let (_, database) = try await opened()
        for number in 2...4 { _ = try await database.server.server(number).make() }
        try await database.server.server(3).save(PairingList([ControllerIdentity.random().pairing()]))
        var light = Self.light(2)
        light.bridge = 4
        light.removal = 1
        try await database.save(light)
        try await database.dropUnusedBridges()
        #expect(try await database.load().furtherServers.keys.sorted() == [3, 4])
        try await database.forget([light.key])
        try await database.server.server(3).save(PairingList())
        try await database.dropUnusedBridges()
        #expect(try await database.load().furtherServers.isEmpty)
    }

    @Test("opens a database of version 2 as the database of the first bridge")
    func version2() async throws {
        let queue = try DatabaseQueue()
        try BridgeDatabase.migrator.migrate(queue, upTo: "2")
        let key = Data(repeating: 7, count: 32)
        try await queue.write { db in
            try ServerDatabase.makeIdentityIfMissing(db, remains: "SELECT 0")
            try db.execute(sql: "UPDATE server SET port = 4711, failedAttempts = 3")
            try db.execute(
                sql:
                    "INSERT INTO pairing (position, controller, publicKey, isAdmin) VALUES (0, CAST('a' AS BLOB), ?, 1)",
                arguments: [key])
            try db.execute(
                sql: """
                    INSERT INTO light (driver, light, aid, instanceIDs, description, state)
                        VALUES ('d', 'l', 5, '{}', '{"name":"L","kind":"light","brightness":true,"color":true,"transition":true}', NULL)
                    """)
        }
        let deviceID = try await queue.read { try String.fetchOne($0, sql: "SELECT deviceID FROM server") }
        try BridgeDatabase.migrator.migrate(queue)
        let database = BridgeDatabase(queue)
        let stored = try await database.load()
        #expect(stored.server.identity.deviceID.description == deviceID)
        #expect(stored.server.pairings.pairings.map(\.publicKey) == [Array(key)])
        #expect(stored.server.failedAttempts == 3 && stored.furtherServers.isEmpty)
        #expect(stored.lights.map(\.bridge) == [1])
        #expect(stored.lights.map(\.aid.rawValue) == [5])
        #expect(try await database.server.port() == 4711)
    }

    @Test("never reuses the aid of a removed light, even the highest aid after a restart")
    func highestNumber() async throws {
        let queue = try queue()
        func start() async throws -> BridgeUnderTest {
            let database = BridgeDatabase(queue)
            return try await BridgeUnderTest(database, stored: try await database.load())
        }
        var given: Set<AccessoryID> = []
        for number in 0..<4 {
            let bridge = try await start()
            let light = LightID("light \(number)")
            await bridge.host.added(LightDescription(id: light, name: "Lamp \(number)"))
            await bridge.server.reconcileStructure()
            let aid = try #require(await bridge.aid(light))
            #expect(given.insert(aid).inserted, "\(aid) was another light's")
            await bridge.host.removed(light)
            await bridge.server.reconcileStructure()
            #expect(await bridge.aid(light) == nil)
        }
        // A light that returns keeps its aid.
        let bridge = try await start()
        await bridge.host.added(LightDescription(id: "light 3", name: "Lamp 3"))
        await bridge.server.reconcileStructure()
        #expect(await bridge.aid("light 3") == given.max())
    }

    private static func light(_ aid: UInt64) -> StoredLight {
        let id = LightID("l\(aid)")
        return StoredLight(
            key: LightKey(driver: "d", light: id), aid: AccessoryID(aid), instanceIDs: InstanceIDs(),
            description: LightDescription(id: id, name: "L"))
    }

    private func fill(_ database: BridgeDatabase) async throws {
        try await database.save(
            PairingList([
                ControllerIdentity.random().pairing(), ControllerIdentity.random().pairing(isAdmin: false),
            ]))
        var ids = InstanceIDs()
        _ = ids.id(of: .accessoryInformation)
        try await database.save(instanceIDs: ids)
        try await database.server.save(port: 1234)
        try await database.save(StoredConfiguration(number: 5, databaseHash: Array(repeating: 1, count: 64)))
        try await database.save(
            StoredLight(
                key: LightKey(driver: "d", light: "l"), aid: AccessoryID(2), instanceIDs: ids,
                description: LightDescription(
                    id: "l", name: "L", capabilities: LightCapabilities(temperature: 153...500)),
                state: LightReport(on: true, brightness: 3)))
    }

    // MARK: Damage

    /// A column, and an invalid value for it.
    struct Damage: CustomTestStringConvertible, Sendable {
        let column: String
        let value: String
        var testDescription: String { "\(column) = \(value)" }

        init(_ column: String, _ value: String) {
            self.column = column
            self.value = value
        }
    }

    @Test("stores the links between the functions of a device")
    func links() {
        let purifier = LightDescription(
            id: "air", name: "Air", kind: .airPurifier,
            functions: [
                AccessoryFunction(.airPurifier, linked: ["filter"], [.active: .integer(0)]),
                AccessoryFunction(.filterMaintenance, id: "filter", [.filterChangeIndication: .integer(0)]),
            ])
        let stored = LightDescription(id: "air", json: purifier.json)
        #expect(stored?.functions.map(\.linked) == [["filter"], []])
    }

    private static let description = #"'{"name":"L","kind":"light","brightness":true,"color":true,"transition":true"#

    @Test(
        "rejects a damaged column instead of starting unpaired or with a new identity",
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
            Damage(
                "light.description",
                #"'{"name":"L","kind":"light","transition":false,"functions":[{"type":"43","parts":[{"type":"CE","value":200,"minimum":500,"maximum":153}]}]}'"#
            ),
            Damage("light.state", #"'{"hue":1}'"#), Damage("light.state", #"'{"mired":"x"}'"#),
            Damage("light.state", #"'{"brightness":1.5}'"#), Damage("light.removal", "0"),
            Damage("light.removal", "x'01'"), Damage("light.removal", "9223372036854775807"),
            Damage("lightBridge.highestAID", "0"), Damage("lightBridge.highestAID", "'x'"),
        ])
    func damage(damage: Damage) async throws {
        let (queue, database) = try await opened()
        try await fill(database)
        let healthy = try await database.load()
        let parts = damage.column.split(separator: ".")
        // Keep only one pairing, so that the damaged pairing is read.
        try await queue.write { db in
            try db.execute(sql: "DELETE FROM pairing WHERE position > 0")
            try db.execute(sql: "UPDATE \(parts[0]) SET \(parts[1]) = \(damage.value)")
        }
        let error = await #expect(throws: DamagedDatabase.self) { try await database.load() }
        #expect(error?.description.contains(healthy.server.setupCode.text) == false)
        if parts[1] == "port" { await #expect(throws: DamagedDatabase.self) { try await database.server.port() } }
    }

    @Test("rejects pairings or lights without an identity, and creates an identity in an empty database")
    func lost() async throws {
        let queue = try queue()
        let database = BridgeDatabase(queue)
        let first = try await database.load()
        try await queue.write { try $0.execute(sql: "DELETE FROM server") }
        #expect(try await database.load().server.identity != first.server.identity)
        try await fill(database)
        try await queue.write { try $0.execute(sql: "DELETE FROM server") }
        await #expect(throws: DamagedDatabase.self) { try await database.load() }
    }
}
