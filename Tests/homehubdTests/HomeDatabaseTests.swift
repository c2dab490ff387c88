import DaemonKit
import DatabaseKit
import GRDB
import Glibc
import HAPController
import HAPModel
import HAPTesting
import HomeHub
import HomeModel
import HomeTesting
import SystemKit
import TestTimeouts
import Testing

@testable import homehubd

@Suite("The home database", .timeout)
struct HomeDatabaseTests {
    @Test("stores any change so that it survives a restart", arguments: 1...4 as ClosedRange<UInt64>)
    func anyChanges(seed: UInt64) async throws {
        try await withFolder { folder in
            var homes = RandomHomes(seed: seed)
            var opened: DatabaseFile?
            var seen: Set<String> = []
            for step in 0..<200 {
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
                    if home.triggers.contains(where: { !$0.missingParts.isEmpty }) { seen.insert("automations") }
                    if home.people.contains(where: \.isHome) { seen.insert("people") }
                    if home.location != nil { seen.insert("locations") }
                }
                guard stored == homes.graph.asStored else {
                    Issue.record("step \(step) is stored differently: \(transaction.changes)")
                    return
                }
            }
            #expect(seen.count >= 4 && seen.isSuperset(of: ["bridges", "scenes"]))
            try opened?.close()
        }
    }

    @Test("stores a repair and its pairing in one step, and keeps a candidate across a restart")
    func repairs() async throws {
        try await withFolder { folder in
            func lamp(_ aid: UInt64, _ name: String) -> AccessoryObject {
                let metadata = CharacteristicMetadata(format: .string, permissions: .pairedRead)
                return AccessoryObject(
                    aid: AccessoryID(aid),
                    services: [
                        ServiceObject(
                            iid: .accessoryInformation, type: .accessoryInformation,
                            characteristics: [
                                CharacteristicObject(
                                    iid: InstanceID(2), type: .name, metadata: metadata, value: .string(name))
                            ])
                    ])
            }
            var file: DatabaseFile? = try openDatabase(in: folder)
            var stored = try StoredGraph(try #require(file?.queue))
            try await stored.write(.addHome(name: "Home"))
            try await stored.add([lamp(1, "Bridge"), lamp(2, "Hall"), lamp(3, "Stairs")], category: .bridge)
            let bridge = try #require(stored.graph.homes[0].accessories.first)
            let candidate = AccessoryPairing(deviceID: stored.device, publicKey: Array(repeating: 7, count: 32))
            try await PairingDatabase(stored.queue).keep(
                AccessoryPairing(deviceID: stored.device, publicKey: Array(repeating: 1, count: 32)))
            try await stored.database.keep(candidate: candidate)
            try file?.close()
            file = nil
            file = try openDatabase(in: folder)
            let queue = try #require(file?.queue)
            let database = HomeDatabase(queue)
            #expect(try database.load().candidates == [candidate])
            #expect(try await PairingDatabase(queue).pairings().map(\.publicKey[0]) == [1])
            let replacement = ReplacementDevice(
                deviceID: stored.device, category: .bridge,
                accessories: [lamp(1, "Bridge"), lamp(2, "Stairs"), lamp(3, "Hall")])
            let commit = try stored.graph.repair(bridge.id, with: replacement, using: &stored.random)
            try await database.commit(try #require(commit.transaction), in: stored.graph, promoting: candidate)
            #expect(try database.load().graph == stored.graph.asStored && database.load().candidates == [])
            #expect(try await PairingDatabase(queue).pairings() == [candidate])
            try file?.close()
        }
    }

    @Test("stores strings with any characters")
    func hostileTexts() async throws {
        let text = "A\u{0}B\u{1B}\u{7F}\n\u{202E}\u{FEFF}'\"C"
        let metadata = CharacteristicMetadata(format: .string, permissions: .pairedRead)
        let types: [CharacteristicType] = [.name, .manufacturer, .model, .serialNumber, .firmwareRevision]
        let information = ServiceObject(
            iid: .accessoryInformation, type: .accessoryInformation,
            characteristics: types.enumerated().map { index, type in
                CharacteristicObject(
                    iid: InstanceID(UInt64(2 + index)), type: type, metadata: metadata, value: .string(text))
            })
        let place = CharacteristicID(AccessoryID(1), InstanceID(2))
        var stored = try StoredGraph(makeQueue())
        try await stored.write(.addHome(name: "Home"))
        try await stored.add(
            [AccessoryObject(aid: AccessoryID(1), services: [information])], descriptions: [place: text])
        let characteristic = try #require(
            stored.graph.homes.first?.accessories.first?.services.first?.characteristics.first)
        let time = Timestamp(millisecondsSince1970: 7)
        stored.graph.apply(.valueUpdated(characteristic.id, .string(text), time: time))
        try await stored.database.save([characteristic.id: TimestampedValue(.string(text), at: time)])
        #expect(try stored.database.load().graph == stored.graph.asStored)
    }

    @Test("rejects a transaction that doesn't follow the stored revision")
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

    @Test("rolls back a transaction that fails in part")
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

    @Test("keeps the actions of remaining services, and removes the actions of removed services")
    func changedServices() async throws {
        var stored = try StoredGraph(makeQueue())
        func lamp(_ services: ClosedRange<UInt64>) -> AccessoryObject {
            AccessoryObject(
                aid: AccessoryID(1),
                services: services.map { number in
                    ServiceObject(
                        iid: InstanceID(10 * number), type: .lightbulb,
                        characteristics: [
                            CharacteristicObject(
                                iid: InstanceID(10 * number + 1), type: .on,
                                metadata: CharacteristicMetadata(
                                    format: .bool, permissions: [.pairedRead, .pairedWrite]), value: .bool(false))
                        ])
                })
        }
        try await stored.write(.addHome(name: "Home"))
        try await stored.add([lamp(1...2)])
        try await stored.write(.addActionSet(stored.graph.homes[0].id, name: "Evening", kind: .userDefined))
        let switches = stored.graph.homes[0].accessories[0].services.flatMap(\.characteristics).map(\.id)
        #expect(switches.count == 2)
        try await stored.write(
            .setActions(
                stored.graph.homes[0].actionSets[0].id,
                switches.map { CharacteristicWriteAction(characteristic: $0, targetValue: .bool(true)) }))
        let update = try stored.graph.update(stored.device, with: [lamp(2...3)], using: &stored.random)
        try await stored.store(update)
        let loaded = try stored.database.load().graph
        #expect(loaded == stored.graph.asStored)
        #expect(loaded.homes[0].actionSets[0].actions.map(\.characteristic) == [switches[1]])
    }

    @Test("rejects a room of another home in a zone")
    func otherHomes() async throws {
        var stored = try StoredGraph(makeQueue())
        for name in ["Home", "Cottage"] { try await stored.write(.addHome(name: name)) }
        let (home, other) = (stored.graph.homes[0].id, stored.graph.homes[1].id)
        try await stored.write(.addZone(home, name: "Upstairs"))
        try await stored.write(.addRoom(other, name: "Kitchen"))
        let change = HomeChange(.roomAddedToZone(stored.graph.homes[1].rooms[0].id, stored.graph.homes[0].zones[0].id))
        let transaction = HomeTransaction(home: home, revision: 3, changes: [change])
        let planned = stored
        await #expect(throws: DatabaseError.self) { try await planned.store(transaction) }
    }

    @Test("stores the latest decision for each app, user and program until it is forgotten")
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

    @Test("stores vendor claims, and forgets them together with their app")
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

    @Test("opens a file of an earlier version, and adds the missing tables", arguments: [1, 4])
    func formerVersion(_ version: Int) async throws {
        try await withFolder { folder in
            var old: DatabaseFile? = try openDatabase(in: folder)
            let queue = try #require(old).queue
            var homes = RandomHomes(seed: 3)
            for _ in 0..<20 { try await HomeDatabase(queue).commit(try homes.next(), in: homes.graph) }
            let app = RememberedPermission(
                app: AppIdentity(app: "org.example.lights", uid: 7, executable: ""), isAllowed: true,
                usageDescription: "For it.")
            try await HomeDatabase(queue).remember(app)
            // Undo the later migrations.
            try await queue.write { db in
                var steps = [
                    "DROP TABLE triggerRecord", "DROP TABLE triggerState", "DROP TABLE trigger", "DROP TABLE person",
                    "ALTER TABLE home DROP COLUMN latitude", "ALTER TABLE home DROP COLUMN longitude",
                    "ALTER TABLE home DROP COLUMN timeZone",
                ]
                if version == 1 {
                    steps += [
                        "DROP TABLE pairingCandidate", "DROP TABLE vendorClaim", "DROP TABLE serviceGroupService",
                        "DROP TABLE serviceGroup", "ALTER TABLE actionSet DROP COLUMN lastExecutionTime",
                    ]
                }
                steps.append("DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) > \(version)")
                for step in steps { try db.execute(sql: step) }
            }
            #expect(throws: (any Error).self) { try HomeDatabase(queue).load() }
            try old?.close()
            // Release the lock.
            old = nil
            let file = try openDatabase(in: folder)
            let database = HomeDatabase(file.queue)
            let stored = HomeGraph(
                homes: homes.graph.asStored.homes.map { home in
                    var home = home
                    if version == 1 { home.serviceGroups = [] }
                    home.triggers = []
                    home.people = []
                    home.location = nil
                    return home
                })
            #expect(try database.load() == StoredHomes(graph: stored, permissions: [app]))
            let claim = RememberedClaim(VendorClaimID(app: app.app, vendor: "kilgo"), isAllowed: true)
            try await database.remember(claim)
            #expect(try database.load().claims == [claim])
            try file.close()
        }
    }

    @Test("stores the state and the last 50 records of each automation until it is removed")
    func triggerHistory() async throws {
        try await withFolder { folder in
            var file: DatabaseFile? = try openDatabase(in: folder)
            var stored = try StoredGraph(try #require(file?.queue))
            try await stored.write(.addHome(name: "Home"))
            let home = stored.graph.homes[0].id
            let definition = TriggerDefinition(events: [.presence(.firstEntry, people: [])], steps: [.notify("Hello")])
            for name in ["One", "Two"] {
                try await stored.write(.addTrigger(home, name: name, definition, isEnabled: true))
            }
            let ids = stored.graph.homes[0].triggers.map(\.id)
            var machine = TriggerMachine(home: stored.graph.homes[0], timeZone: .utc, states: [], at: .now)
            let states = machine.takeChangedStates()
            func record(_ number: Int, of trigger: Trigger.ID) -> TriggerRecord {
                TriggerRecord(
                    trigger: trigger, time: .init(millisecondsSince1970: Int64(number)), cause: .user, result: .ran,
                    run: Int64(number))
            }
            var records = (0..<60).map { record($0, of: ids[0]) }
            let other = record(60, of: ids[1])
            let unknown = record(61, of: Trigger.ID(using: &stored.random))
            try await stored.database.save(states, records + [other, unknown])
            records[59].outcomes = [ActionOutcome(.notify("Hello"), time: .init(millisecondsSince1970: 99))]
            try await stored.database.save([], [records[59]])
            try file?.close()
            file = nil
            file = try openDatabase(in: folder)
            let database = HomeDatabase(try #require(file?.queue))
            #expect(try database.load().graph == stored.graph.asStored)
            let loaded = try database.load().triggerStates
            #expect(states.count == 2 && Set(loaded) == Set(states))
            let latest: [TriggerRecord] = [other] + records[10...].reversed()
            #expect(try await database.triggerRecords(of: home, limit: 100) == latest)
            #expect(try await database.triggerRecords(of: home, limit: 3) == Array(latest.prefix(3)))
            #expect(try await database.triggerRecords(of: ids[0]) == Array(latest.dropFirst()))
            #expect(Set(try await database.latestTriggerRecords(of: home)) == [other, records[59]])
            let removal = try stored.graph.perform(.removeTrigger(ids[0]), using: &stored.random)
            try await database.commit(try #require(removal.transaction), in: stored.graph)
            #expect(try database.load().triggerStates.map(\.trigger) == [ids[1]])
            #expect(try await database.triggerRecords(of: home, limit: 100) == [other])
            #expect(try await database.triggerRecords(of: ids[0]) == [])
            #expect(try await database.latestTriggerRecords(of: home) == [other])
            try file?.close()
        }
    }

    @Test("keeps the apps that added or changed an automation across a restart") func creator() async throws {
        try await withFolder { folder in
            var graph = HomeGraph()
            var random = SeededNumbers(seed: 3)
            var creators: [AppIdentity?] = []
            let apps = [
                nil, AppIdentity(app: "org.example", uid: 1000, executable: "/usr/bin/example"),
                AppIdentity(app: "org.other", uid: 0, executable: ""),
            ]
            // Each change is stored by a new process.
            func store(_ write: HomeWrite, by app: AppIdentity?) async throws {
                let file = try openDatabase(in: folder)
                var transaction = try #require(try graph.perform(write, using: &random).transaction)
                switch transaction.changes[0].event {
                case .triggerAdded(var trigger):
                    trigger.creator = app
                    trigger.openers = app.map { [$0, $0] } ?? []
                    transaction.changes[0].event = .triggerAdded(trigger)
                case .triggerUpdated(var trigger):
                    trigger.creator = app
                    trigger.openers = app.map { [$0, $0] } ?? []
                    transaction.changes[0].event = .triggerUpdated(trigger)
                default: break
                }
                try await HomeDatabase(file.queue).commit(transaction, in: graph)
                try file.close()
            }
            func stored() throws -> [AppIdentity?] {
                let file = try openDatabase(in: folder)
                defer { try? file.close() }
                let triggers = try HomeDatabase(file.queue).load().graph.homes[0].triggers
                #expect(triggers.allSatisfy { $0.openers == ($0.creator.map { [$0, $0] } ?? []) })
                return triggers.map(\.creator)
            }
            try await store(.addHome(name: "Home"), by: nil)
            var definition = TriggerDefinition(events: [.presence(.firstEntry, people: [])], steps: [.notify("Hello")])
            for (index, app) in apps.enumerated() {
                let home = graph.homes[0].id
                try await store(
                    .addTrigger(home, name: "Automation \(index)", definition, isEnabled: true), by: app)
                creators.append(app)
            }
            #expect(try stored() == creators)
            definition.steps = [.notify("Bye")]
            for (index, app) in apps.reversed().enumerated() {
                try await store(.updateTrigger(graph.homes[0].triggers[index].id, definition), by: app)
            }
            #expect(try stored() == creators.reversed())
        }
    }

    @Test("disables an automation after its only run, unless it has changed") func usedUp() async throws {
        var stored = try StoredGraph(try makeQueue())
        try await stored.write(.addHome(name: "Home"))
        let definition = TriggerDefinition(
            events: [.presence(.firstEntry, people: [])], executeOnce: true, steps: [.notify("Hello")])
        for name in ["One", "Two"] {
            try await stored.write(.addTrigger(stored.graph.homes[0].id, name: name, definition, isEnabled: true))
        }
        let triggers = stored.graph.homes[0].triggers
        var changed = definition
        changed.steps = [.notify("Hello again")]
        try await stored.write(.updateTrigger(triggers[1].id, changed))
        try await stored.database.save([], [], disabling: triggers)
        #expect(try stored.database.load().graph.homes[0].triggers.map(\.isEnabled) == [false, true])
    }

    @Test("reads only the requested part of the history of automations") func partOfHistory() async throws {
        let queue = try makeQueue()
        var stored = try StoredGraph(queue)
        let definition = TriggerDefinition(events: [.presence(.firstEntry, people: [])], steps: [.notify("Hello")])
        for index in 0..<2 {
            try await stored.write(.addHome(name: "Home \(index)"))
            try await stored.write(
                .addTrigger(stored.graph.homes[index].id, name: "Hello", definition, isEnabled: true))
        }
        let triggers = stored.graph.homes.flatMap(\.triggers)
        func record(_ number: Int64, of trigger: Trigger) -> TriggerRecord {
            TriggerRecord(
                trigger: trigger.id, time: .init(millisecondsSince1970: number), cause: .user, result: .ran, run: number
            )
        }
        let old = triggers.map { record(1, of: $0) }
        let new = triggers.map { record(2, of: $0) }
        try await stored.database.save([], old + new)
        // Reading these records would fail.
        try await queue.write { db in
            for record in old + [new[1]] {
                try db.execute(
                    sql: "UPDATE triggerRecord SET record = '' WHERE id = ?", arguments: [record.id.description])
            }
        }
        let home = stored.graph.homes[0].id
        #expect(try await stored.database.latestTriggerRecords(of: home) == [new[0]])
        #expect(try await stored.database.triggerRecords(of: home, limit: 1) == [new[0]])
        await #expect(throws: DamagedDatabase.self) { try await stored.database.triggerRecords(of: triggers[0].id) }
    }

    @Test("ignores values of unknown characteristics")
    func orphanedValues() async throws {
        let database = HomeDatabase(try makeQueue())
        var random = SeededNumbers(seed: 1)
        try await database.save([
            Characteristic.ID(using: &random): TimestampedValue(.bool(true), at: .init(millisecondsSince1970: 1))
        ])
        #expect(try database.load() == StoredHomes())
    }

    @Test(
        "reports invalid content as damage",
        arguments: [
            "UPDATE home SET isPrimary = 0", "UPDATE home SET id = 'x'", "UPDATE room SET name = 'Home'",
            "UPDATE room SET name = ' Kitchen'", "UPDATE accessory SET deviceID = 'here'",
            "UPDATE accessory SET category = 65536", "UPDATE service SET type = 'lamp'",
            "UPDATE characteristic SET metadata = '{'", "UPDATE characteristic SET value = '[]'",
            "UPDATE characteristic SET iid = 'one'", "UPDATE accessory SET isBridge = 1, name = CAST(x'FF' AS BLOB)",
            "UPDATE trigger SET definition = '{'", "UPDATE trigger SET missingParts = '[1]'",
            "UPDATE trigger SET name = ''", "UPDATE home SET latitude = 91, longitude = 0",
            "UPDATE home SET latitude = 0",
        ])
    func damage(sql: String) async throws {
        var stored = try StoredGraph(makeQueue())
        try await stored.write(.addHome(name: "Home"))
        try await stored.write(.addRoom(stored.graph.homes[0].id, name: "Kitchen"))
        try await stored.add([TestDevices.lamp()])
        try await stored.write(
            .addTrigger(
                stored.graph.homes[0].id, name: "Arrival",
                TriggerDefinition(events: [.presence(.firstEntry, people: [])], steps: [.notify("Hello")]),
                isEnabled: true))
        #expect(try stored.database.load().graph == stored.graph.asStored)
        try await stored.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)") }
        #expect(throws: DamagedDatabase.self) { try stored.database.load() }
    }

    @Test("protects the file, and rejects a file of a newer version")
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
                let shown = HomeDatabaseError(error, in: HomeBackupTests.places(folder))
                #expect(ExitCode(shown) == .badData)
                #expect(!shown.description.contains("lamplighter"))
            }
        }
    }

    @Test("keeps every acknowledged change when the process is killed")
    func sudden() async throws {
        try await withFolder { folder in
            let seed: UInt64 = 11
            await #expect(processExitsWith: .signal(SIGALRM)) { [folder = folder as String] in
                let file = try openDatabase(in: folder)
                let acknowledged = open(folder + "/acknowledged", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
                var homes = RandomHomes(seed: 11)
                // SIGALRM ends the process at any point.
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
                // The last change may be stored without acknowledgment.
                _ = try homes.next()
                #expect(stored == homes.graph.asStored)
            }
            try file.close()
        }
    }
}
