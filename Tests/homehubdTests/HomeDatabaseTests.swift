import DaemonKit
import GRDB
import Glibc
import HAPController
import HAPModel
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

@testable import homehubd

@Suite("The homes in SQLite", .timeout)
struct HomeDatabaseTests {
    @Test(
        "after any changes the homes are stored as they are, also for who opens the file anew",
        arguments: 1...4 as ClosedRange<UInt64>)
    func anyChanges(seed: UInt64) async throws {
        try await withFolder { folder in
            var homes = RandomHomes(seed: seed)
            var opened: DatabaseFile?
            var seen: Set<String> = []
            for step in 0..<120 {
                if step.isMultiple(of: 10) {
                    try opened?.close()
                    opened = nil
                    opened = try openDatabase(in: folder)
                }
                let transaction = try homes.next()
                let file = try #require(opened)
                try await HomeDatabase(file.queue).commit(transaction, in: homes.graph)
                if let (id, value) = homes.receive(at: Int64(step)) {
                    try await HomeDatabase(file.queue).save([
                        id: TimestampedValue(value, at: .init(millisecondsSince1970: Int64(step)))
                    ])
                }
                let stored = try HomeDatabase(file.queue).load().graph
                for home in stored.homes {
                    if home.zones.contains(where: { !$0.rooms.isEmpty }) { seen.insert("zones") }
                    if home.actionSets.contains(where: { !$0.actions.isEmpty }) { seen.insert("scenes") }
                    if home.accessories.contains(where: \.isBridged) { seen.insert("bridges") }
                }
                guard stored == homes.graph.asStored else {
                    Issue.record("step \(step) is stored otherwise: \(transaction.changes)")
                    return
                }
            }
            // A walk over nothing shows nothing.
            #expect(seen == ["bridges", "scenes", "zones"])
            try opened?.close()
        }
    }

    @Test(
        "a repair and its pairing are stored in one step, also with numbers that swap; a candidate survives a restart")
    func repairs() async throws {
        try await withFolder { folder in
            var (graph, random) = (HomeGraph(), SeededNumbers(seed: 3))
            guard case .home(let home) = try graph.perform(.addHome(name: "Home"), using: &random).result else {
                throw Failure(message: "no home")
            }
            func lamp(_ aid: UInt64, _ name: String) -> HAPModel.Accessory {
                let metadata = CharacteristicMetadata(format: .string, permissions: .pairedRead)
                return HAPModel.Accessory(
                    aid: AccessoryID(aid),
                    services: [
                        HAPModel.Service(
                            iid: .accessoryInformation, type: .accessoryInformation,
                            characteristics: [
                                HAPModel.Characteristic(
                                    iid: InstanceID(2), type: .name, metadata: metadata, value: .string(name))
                            ])
                    ])
            }
            let id = try #require(DeviceID("1A:2B:3C:4D:5E:6F"))
            var file: DatabaseFile? = try openDatabase(in: folder)
            var queue = try #require(file?.queue)
            var database = HomeDatabase(queue)
            for transaction in [
                HomeTransaction(
                    home: home, revision: 1, changes: [HomeChange(.homeAdded(try #require(graph.home(home))))]),
                try graph.add(
                    AccessoryAddition(
                        home: home, deviceID: id, category: .bridge,
                        accessories: [lamp(1, "Bridge"), lamp(2, "Hall"), lamp(3, "Stairs")]), using: &random
                ).transaction,
            ] {
                try await database.commit(try #require(transaction), in: graph)
            }
            let bridge = try #require(graph.homes[0].accessories.first)
            let candidate = AccessoryPairing(deviceID: id, publicKey: Array(repeating: 7, count: 32))
            try await PairingDatabase(queue).keep(
                AccessoryPairing(deviceID: id, publicKey: Array(repeating: 1, count: 32)))
            try await database.keep(candidate: candidate)
            try file?.close()
            file = nil
            file = try openDatabase(in: folder)
            queue = try #require(file?.queue)
            database = HomeDatabase(queue)
            #expect(try database.load().candidates == [candidate])
            #expect(try await PairingDatabase(queue).pairings().map(\.publicKey[0]) == [1])
            let commit = try graph.repair(
                bridge.id,
                with: ReplacementDevice(
                    deviceID: id, category: .bridge,
                    accessories: [lamp(1, "Bridge"), lamp(2, "Stairs"), lamp(3, "Hall")]), using: &random)
            try await database.commit(try #require(commit.transaction), in: graph, promoting: candidate)
            #expect(try database.load().graph == graph.asStored && database.load().candidates == [])
            #expect(try await PairingDatabase(queue).pairings() == [candidate])
            try file?.close()
        }
    }

    @Test("texts of devices and values with anything in them are the same after a restart")
    func hostileTexts() async throws {
        let text = "A\u{0}B\u{1B}\u{7F}\n\u{202E}\u{FEFF}'\"C"
        var (graph, random) = (HomeGraph(), SeededNumbers(seed: 3))
        guard case .home(let home) = try graph.perform(.addHome(name: "Home"), using: &random).result else {
            throw Failure(message: "no home")
        }
        let metadata = CharacteristicMetadata(format: .string, permissions: .pairedRead)
        let types: [CharacteristicType] = [.name, .manufacturer, .model, .serialNumber, .firmwareRevision]
        let information = HAPModel.Service(
            iid: .accessoryInformation, type: .accessoryInformation,
            characteristics: types.enumerated().map { index, type in
                HAPModel.Characteristic(
                    iid: InstanceID(UInt64(2 + index)), type: type, metadata: metadata, value: .string(text))
            })
        let id = try #require(DeviceID("AA:BB:CC:DD:EE:01"))
        let place = CharacteristicID(AccessoryID(1), InstanceID(2))
        let queue = try makeQueue()
        // The home first: each transaction follows the one before it.
        let empty = graph
        try await HomeDatabase(queue).commit(
            HomeTransaction(home: home, revision: 1, changes: [HomeChange(.homeAdded(empty.homes[0]))]), in: empty)
        let commit = try graph.add(
            AccessoryAddition(
                home: home, deviceID: id, category: .other,
                accessories: [HAPModel.Accessory(aid: AccessoryID(1), services: [information])],
                descriptions: [place: text]), using: &random)
        try await HomeDatabase(queue).commit(try #require(commit.transaction), in: graph)
        let characteristic = try #require(graph.homes.first?.accessories.first?.services.first?.characteristics.first)
        graph.apply(.valueUpdated(characteristic.id, .string(text), time: .init(millisecondsSince1970: 7)))
        try await HomeDatabase(queue).save([
            characteristic.id: TimestampedValue(.string(text), at: .init(millisecondsSince1970: 7))
        ])
        #expect(try HomeDatabase(queue).load().graph == graph.asStored)
    }

    @Test("what does not follow the stored revision is refused, and nothing of it is stored")
    func revisions() async throws {
        let database = HomeDatabase(try makeQueue())
        var homes = RandomHomes(seed: 7)
        for _ in 0..<40 { try await database.commit(try homes.next(), in: homes.graph) }
        let before = try database.load()
        var skipped = homes
        _ = try skipped.next()
        let home = try #require(homes.graph.homes.first)
        let change = [HomeChange(.nameUpdated("Elsewhere"))]
        let graph = homes.graph
        for revision in [home.revision, home.revision + 2] {
            let transaction = HomeTransaction(home: home.id, revision: revision, changes: change)
            await #expect(throws: HomeDatabase.Refusal.revision(stored: home.revision, committed: revision)) {
                try await database.commit(transaction, in: graph)
            }
        }
        #expect(try database.load() == before)
    }

    @Test("a transaction of which one part cannot be stored is not stored at all")
    func atomicity() async throws {
        let database = HomeDatabase(try makeQueue())
        var homes = RandomHomes(seed: 8)
        while homes.graph.homes.allSatisfy(\.zones.isEmpty) {
            try await database.commit(try homes.next(), in: homes.graph)
        }
        let home = try #require(homes.graph.homes.first { !$0.zones.isEmpty })
        let zone = try #require(home.zones.first)
        var random = SeededNumbers(seed: 1)
        let before = try database.load()
        let transaction = HomeTransaction(
            home: home.id, revision: home.revision + 1,
            changes: [
                HomeChange(.nameUpdated("Elsewhere")), HomeChange(.roomAddedToZone(Room.ID(using: &random), zone.id)),
            ])
        let graph = homes.graph
        await #expect(throws: DatabaseError.self) { try await database.commit(transaction, in: graph) }
        #expect(try database.load() == before)
    }

    @Test("a scene keeps its lamp when the lamp's services change, and loses what is gone")
    func changedServices() async throws {
        let queue = try makeQueue()
        var (graph, random) = (HomeGraph(), SeededNumbers(seed: 5))
        func store(_ commit: HomeCommit) async throws {
            try await HomeDatabase(queue).commit(try #require(commit.transaction), in: graph)
        }
        func lamp(_ services: ClosedRange<UInt64>) -> HAPModel.Accessory {
            HAPModel.Accessory(
                aid: AccessoryID(1),
                services: services.map { number in
                    HAPModel.Service(
                        iid: InstanceID(10 * number), type: .lightbulb,
                        characteristics: [
                            HAPModel.Characteristic(
                                iid: InstanceID(10 * number + 1), type: .on,
                                metadata: CharacteristicMetadata(
                                    format: .bool, permissions: [.pairedRead, .pairedWrite]), value: .bool(false))
                        ])
                })
        }
        try await store(try graph.perform(.addHome(name: "Home"), using: &random))
        let home = graph.homes[0].id
        let deviceID = try #require(DeviceID("1A:2B:3C:4D:5E:6F"))
        try await store(
            try graph.add(
                AccessoryAddition(home: home, deviceID: deviceID, category: .lightbulb, accessories: [lamp(1...2)]),
                using: &random))
        try await store(try graph.perform(.addActionSet(home, name: "Evening", kind: .userDefined), using: &random))
        let scene = try #require(graph.homes[0].actionSets.first { $0.name == "Evening" })
        let switches = graph.homes[0].accessories[0].services.flatMap(\.characteristics).map(\.id)
        #expect(switches.count == 2)
        try await store(
            try graph.perform(
                .setActions(
                    scene.id, switches.map { CharacteristicWriteAction(characteristic: $0, targetValue: .bool(true)) }),
                using: &random))
        let updated = try #require(try graph.update(deviceID, with: [lamp(2...3)], using: &random))
        try await HomeDatabase(queue).commit(updated, in: graph)
        let stored = try HomeDatabase(queue).load().graph
        #expect(stored == graph.asStored)
        let kept = try #require(stored.homes[0].actionSets.first { $0.name == "Evening" })
        #expect(kept.actions.map(\.characteristic) == [switches[1]])
    }

    @Test("one room of a zone, one bridge, one target of a scene cannot be of another home")
    func otherHomes() async throws {
        let queue = try makeQueue()
        var (graph, random) = (HomeGraph(), SeededNumbers(seed: 1))
        for name in ["Home", "Cottage"] {
            let commit = try graph.perform(.addHome(name: name), using: &random)
            try await HomeDatabase(queue).commit(try #require(commit.transaction), in: graph)
        }
        let (home, other) = (graph.homes[0].id, graph.homes[1].id)
        let writes: [HomeWrite] = [.addZone(home, name: "Upstairs"), .addRoom(other, name: "Kitchen")]
        for write in writes {
            let commit = try graph.perform(write, using: &random)
            try await HomeDatabase(queue).commit(try #require(commit.transaction), in: graph)
        }
        let change = HomeChange(.roomAddedToZone(graph.homes[1].rooms[0].id, graph.homes[0].zones[0].id))
        let planned = graph
        await #expect(throws: DatabaseError.self) {
            let transaction = HomeTransaction(home: home, revision: 3, changes: [change])
            try await HomeDatabase(queue).commit(transaction, in: planned)
        }
    }

    @Test("answers of the user are kept for each app and user and program, the last one counts, and they are forgotten")
    func permissions() async throws {
        let database = HomeDatabase(try makeQueue())
        let lights = AppIdentity(app: "org.example.lights", uid: .max, executable: "/usr/bin/lights")
        var other = lights
        other.executable = ""
        func permission(_ app: AppIdentity, _ isAllowed: Bool) -> RememberedPermission {
            RememberedPermission(app: app, isAllowed: isAllowed, usageDescription: "to \"switch\" 'lights'")
        }
        try await database.remember(permission(lights, false))
        try await database.remember(permission(other, true))
        try await database.remember(permission(lights, true))
        #expect(try database.load().permissions == [permission(lights, true), permission(other, true)])
        try await database.forget(lights)
        #expect(try database.load().permissions == [permission(other, true)])
    }

    @Test("answers about makers are kept beside those about apps, and go with them")
    func claims() async throws {
        let database = HomeDatabase(try makeQueue())
        let app = AppIdentity(app: "org.kilgo", uid: 5, executable: "/kilgo")
        let (one, two) = (VendorClaimID(app: app, vendor: "kilgo"), VendorClaimID(app: app, vendor: "o'ther"))
        for claim in [one, two] { try await database.remember(RememberedClaim(claim, isAllowed: false)) }
        try await database.remember(RememberedClaim(one, isAllowed: true))
        #expect(
            try database.load().claims
                == [RememberedClaim(one, isAllowed: true), RememberedClaim(two, isAllowed: false)])
        try await database.forget(two)
        #expect(try database.load().claims == [RememberedClaim(one, isAllowed: true)])
        try await database.forget(app)
        #expect(try database.load().claims == [])
    }

    @Test("a file of the first version opens, with its homes and permissions, and has no claims of makers")
    func firstVersion() async throws {
        try await withFolder { folder in
            var old: DatabaseFile? = try openDatabase(in: folder)
            let queue = try #require(old).queue
            var homes = RandomHomes(seed: 3)
            for _ in 0..<20 { try await HomeDatabase(queue).commit(try homes.next(), in: homes.graph) }
            let app = RememberedPermission(
                app: AppIdentity(app: "org.example.lights", uid: 7, executable: ""), isAllowed: true,
                usageDescription: "For it.")
            try await HomeDatabase(queue).remember(app)
            // What has come since then.
            try await queue.write { db in
                for step in [
                    "DROP TABLE pairingCandidate", "DROP TABLE vendorClaim", "DROP TABLE serviceGroupService",
                    "DROP TABLE serviceGroup",
                    "ALTER TABLE actionSet DROP COLUMN lastExecutionTime",
                    "DELETE FROM grdb_migrations WHERE identifier <> '1'",
                ] {
                    try db.execute(sql: step)
                }
            }
            #expect(throws: (any Error).self) { try HomeDatabase(queue).load() }
            try old?.close()
            // The lock goes with it.
            old = nil
            let file = try openDatabase(in: folder)
            let database = HomeDatabase(file.queue)
            let stored = HomeGraph(
                homes: homes.graph.asStored.homes.map { home in
                    var home = home
                    home.serviceGroups = []
                    return home
                })
            #expect(try database.load() == StoredHomes(graph: stored, permissions: [app]))
            let claim = RememberedClaim(VendorClaimID(app: app.app, vendor: "kilgo"), isAllowed: true)
            try await database.remember(claim)
            #expect(try database.load().claims == [claim])
            try file.close()
        }
    }

    @Test("values of what is not there are passed over")
    func orphanedValues() async throws {
        let database = HomeDatabase(try makeQueue())
        var random = SeededNumbers(seed: 1)
        try await database.save([
            Characteristic.ID(using: &random): TimestampedValue(.bool(true), at: .init(millisecondsSince1970: 1))
        ])
        #expect(try database.load() == StoredHomes())
    }

    @Test(
        "what cannot be true is damage, not another home",
        arguments: [
            "UPDATE home SET isPrimary = 0", "UPDATE home SET id = 'x'", "UPDATE room SET name = 'Home'",
            "UPDATE room SET name = ' Kitchen'", "UPDATE accessory SET deviceID = 'here'",
            "UPDATE accessory SET category = 65536", "UPDATE service SET type = 'lamp'",
            "UPDATE characteristic SET metadata = '{'", "UPDATE characteristic SET value = '[]'",
            "UPDATE characteristic SET iid = 'one'", "UPDATE accessory SET isBridge = 1, name = CAST(x'FF' AS BLOB)",
        ])
    func damage(sql: String) async throws {
        let queue = try makeQueue()
        var (graph, random) = (HomeGraph(), SeededNumbers(seed: 3))
        let home = try graph.perform(.addHome(name: "Home"), using: &random)
        try await HomeDatabase(queue).commit(try #require(home.transaction), in: graph)
        let room = try graph.perform(.addRoom(graph.homes[0].id, name: "Kitchen"), using: &random)
        try await HomeDatabase(queue).commit(try #require(room.transaction), in: graph)
        let lamp = HAPModel.Accessory(
            aid: AccessoryID(1),
            services: [
                HAPModel.Service(
                    iid: InstanceID(9), type: .lightbulb,
                    characteristics: [
                        HAPModel.Characteristic(
                            iid: InstanceID(10), type: .on,
                            metadata: CharacteristicMetadata(format: .bool, permissions: .pairedRead), value: nil)
                    ])
            ])
        let deviceID = try #require(DeviceID("1A:2B:3C:4D:5E:6F"))
        let added = try graph.add(
            AccessoryAddition(home: graph.homes[0].id, deviceID: deviceID, category: .lightbulb, accessories: [lamp]),
            using: &random)
        try await HomeDatabase(queue).commit(try #require(added.transaction), in: graph)
        #expect(try HomeDatabase(queue).load().graph == graph.asStored)

        try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)") }
        #expect(throws: DamagedDatabase.self) { try HomeDatabase(queue).load() }
    }

    @Test("the file is for its owner alone, and one of a newer version is left as it is")
    func file() async throws {
        try await withFolder { folder in
            try openDatabase(in: folder).close()
            var status = stat()
            #expect(stat(folder + "/home.sqlite", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            var newer = HomeSchema.migrator
            newer.registerMigration("of the future") { _ in }
            try DatabaseFile(
                path: folder + "/home.sqlite", migrator: newer, applicationID: HomeSchema.applicationID, logger: silent
            ).close()
            do {
                _ = try openDatabase(in: folder)
                Issue.record("it was opened")
            } catch let error as DatabaseFileError {
                #expect(ExitCode(HomeDatabaseError(error)) == .badData)
                #expect(!HomeDatabaseError(error).description.contains("lamplighter"))
            }
        }
    }

    @Test("who is killed while writing has stored all that was acknowledged, and half of nothing")
    func sudden() async throws {
        try await withFolder { folder in
            let seed: UInt64 = 11
            await #expect(processExitsWith: .signal(SIGALRM)) { [folder = folder as String] in
                let file = try openDatabase(in: folder)
                let acknowledged = open(folder + "/acknowledged", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
                var homes = RandomHomes(seed: 11)
                // Its signal ends the process wherever it is.
                alarm(1)
                while true {
                    let transaction = try homes.next()
                    try await HomeDatabase(file.queue).commit(transaction, in: homes.graph)
                    _ = write(acknowledged, ".", 1)
                }
            }
            var status = stat()
            #expect(stat(folder + "/acknowledged", &status) == 0)
            let count = Int(status.st_size)
            #expect(count > 0)
            var homes = RandomHomes(seed: seed)
            for _ in 0..<count { _ = try homes.next() }
            let file = try openDatabase(in: folder)
            let stored = try HomeDatabase(file.queue).load().graph
            if stored != homes.graph.asStored {
                // The last may have been stored and not acknowledged any more.
                _ = try homes.next()
                #expect(stored == homes.graph.asStored)
            }
            try file.close()
        }
    }
}
