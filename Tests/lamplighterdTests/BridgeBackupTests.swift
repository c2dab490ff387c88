import AccessoryRole
import BridgeControl
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
import SystemKit
import TestTimeouts
import Testing

@testable import PairingFiles
@testable import lamplighterd

@Suite("BridgeBackup", .timeout)
struct BridgeBackupTests {
    private let folder = StateFolder()

    /// Creates and opens the database of a bridge with one pairing.
    private func fill() async throws -> (DatabaseFile, StoredBridge) {
        let file = try folder.open()
        let database = BridgeDatabase(file.queue)
        _ = try await database.load()
        try await database.save(PairingList([ControllerIdentity.random().pairing()]))
        try await database.save(StoredConfiguration(number: 5, databaseHash: []))
        return (file, try await database.load())
    }

    /// Returns the contents of the database, which must not be in use.
    private func stored() async throws -> StoredBridge {
        let file = try folder.open()
        let stored = try await BridgeDatabase(file.queue).load(makingIdentity: false)
        try file.close()
        return stored
    }

    @Test("restores the same bridge with a higher c#, and keeps the replaced database")
    func roundTrip() async throws {
        var expected: StoredBridge
        do {
            let (file, before) = try await fill()
            let backup = try BridgeBackup.take(of: file, in: folder.places)
            let database = BridgeDatabase(file.queue)
            try await database.server.resetAll()
            #expect(try await database.load().server.identity != before.server.identity)
            let found = try await BridgeBackup.admit(backup, into: folder.places)
            #expect(found.deviceID == before.server.identity.deviceID.description)
            #expect(found.pairings == 1)
            try file.close()
            try BridgeBackup.install(folder.places)
            expected = before
            expected.server.configuration.number += 10
        }
        #expect(try await stored() == expected)
        #expect(folder.files.contains("bridge.sqlite.replaced"))
    }

    @Test("leaves nothing next to the database after a backup")
    func nothingLeft() async throws {
        let (file, _) = try await fill()
        let before = folder.files
        _ = try BridgeBackup.take(of: file, in: folder.places)
        #expect(folder.files == before)
        try file.close()
    }

    @Test(
        "rejects a file that isn't a backup of a bridge, and leaves no files behind",
        arguments: ["nothing", "noise", "half", "another program's", "without an identity", "with a damaged key"])
    func refused(what: String) async throws {
        let (file, before) = try await fill()
        let files = folder.files
        var bytes: [UInt8]
        switch what {
        case "nothing": bytes = []
        case "noise": bytes = Array(repeating: 7, count: 20_000)
        case "half":
            bytes = try BridgeBackup.take(of: file, in: folder.places)
            bytes.removeLast(bytes.count / 2)
        case "another program's": bytes = try await altered("PRAGMA application_id = 7", file)
        case "without an identity": bytes = try await altered("DELETE FROM server; DELETE FROM pairing", file)
        default: bytes = try await altered("UPDATE pairing SET publicKey = x'00'", file)
        }
        let error = await #expect(throws: DatabaseFileError.self) {
            try await BridgeBackup.admit(bytes, into: folder.places)
        }
        #expect(error?.exitCode == .badData)
        #expect(folder.files == files)
        #expect(try await BridgeDatabase(file.queue).load() == before)
        try file.close()
    }

    private func altered(_ sql: String, _ file: DatabaseFile) async throws -> [UInt8] {
        let other = StateFolder()
        let path = other.path + ".backup"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(try BridgeBackup.take(of: file, in: folder.places)).write(to: URL(filePath: path))
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
        return try [UInt8](Data(contentsOf: URL(filePath: path)))
    }

    // MARK: Import

    private let imported = StoredServer.random(pairedWith: [.random()])

    /// An import of ``imported``, after `change`.
    private func order(
        replacesPairings: Bool = false, highestAID: UInt64 = 9, publicKey: [UInt8]? = nil
    ) -> BridgeImport {
        let key = imported.identity.longTermKey
        return BridgeImport(
            identity: BridgeIdentity(
                deviceID: imported.identity.deviceID.description, seed: key.seed.copy,
                publicKey: publicKey ?? key.publicKey, setupCode: imported.setupCode.text, setupID: nil,
                configurationNumber: 65_530,
                controllers: imported.pairings.pairings.map {
                    BridgeIdentity.Controller(id: $0.controller.bytes, publicKey: $0.publicKey, isAdmin: $0.isAdmin)
                }, highestAID: highestAID),
            replacesPairings: replacesPairings, isTrial: false)
    }

    @Test("imports an identity with its pairings, and keeps lights with aids that its controllers don't know")
    func imports() async throws {
        let before: StoredBridge
        do {
            let file: DatabaseFile
            (file, before) = try await fill()
            let database = BridgeDatabase(file.queue)
            try await database.save(PairingList())
            for (aid, name) in [(2, "a"), (5, "b")] as [(UInt64, LightID)] {
                try await database.save(
                    StoredLight(
                        key: LightKey(driver: "d", light: name), aid: AccessoryID(aid), instanceIDs: InstanceIDs(),
                        description: LightDescription(id: name, name: "Lamp")))
            }
            let listing = try await BridgeBackup.prepareImport(order(), over: file, in: folder.places)
            #expect(listing.deviceID == imported.identity.deviceID.description)
            #expect(listing.pairings == 1 && listing.lights == 2)
            try file.close()
            try BridgeBackup.install(folder.places)
        }
        let after = try await stored()
        #expect(after.server.identity == imported.identity && after.server.pairings == imported.pairings)
        #expect(after.server.setupCode == imported.setupCode && after.server.setupID == before.server.setupID)
        #expect(after.server.configuration == StoredConfiguration(number: 5, databaseHash: []))
        #expect(after.lights.map(\.aid) == [AccessoryID(11), AccessoryID(14)])
        #expect(after.highestAID >= AccessoryID(14))
        #expect(folder.files.contains("bridge.sqlite.replaced"))
    }

    @Test("imports into a paired bridge only if its pairings may be lost, and rejects keys that don't belong together")
    func refusedImport() async throws {
        let (file, before) = try await fill()
        let files = folder.files
        await #expect(throws: IdentityImportError.isPaired(1)) {
            try await BridgeBackup.prepareImport(order(), over: file, in: folder.places)
        }
        await #expect(throws: IdentityImportError.self) {
            try await BridgeBackup.prepareImport(
                order(replacesPairings: true, publicKey: ControllerIdentity.random().longTermKey.publicKey), over: file,
                in: folder.places)
        }
        #expect(folder.files == files)
        #expect(try await BridgeDatabase(file.queue).load() == before)
        let listing = try await BridgeBackup.prepareImport(order(replacesPairings: true), over: file, in: folder.places)
        #expect(listing.pairings == 1)
        try file.close()
    }

    // MARK: Exclusive operations

    @Test("rejects all other operations during a restore, and allows another attempt after a failed restore")
    func oneAtATime() async throws {
        let (file, _) = try await fill()
        let memory = BridgeMemory(file: file, places: folder.places)
        let backup = try memory.backup()
        #expect(try memory.backup().count == backup.count)
        var refusal: (any Error)?
        do {
            _ = try await memory.restore {
                #expect(throws: BridgeControlError.self) { try memory.backup() }
                await #expect(throws: BridgeControlError.self) { try await memory.reset() }
                await #expect(throws: BridgeControlError.self) { try await memory.restore { backup } }
                return []
            }
        } catch {
            refusal = error
        }
        #expect(refusal is DatabaseFileError)
        #expect(!memory.isReplaced)
        _ = try await memory.restore { backup }
        #expect(memory.isReplaced)
        for await _ in memory.ends {}
        try file.close()
    }

    @Test("rejects a reset after a restore, and a restore after a reset")
    func nothingBehindTheEnd() async throws {
        let (file, _) = try await fill()
        let memory = BridgeMemory(file: file, places: folder.places)
        let backup = try memory.backup()
        _ = try await memory.restore { backup }
        let refusal = await #expect(throws: BridgeControlError.self) { try await memory.reset() }
        #expect(refusal?.code == 75)
        let other = BridgeMemory(file: file, places: folder.places)
        try await other.reset()
        await #expect(throws: BridgeControlError.self) { try await other.restore { backup } }
        #expect(other.isReplaced)
        try file.close()
    }

    @Test("keeps an acknowledged reset or restore even if the daemon is killed immediately", arguments: [true, false])
    func acknowledgedIsDurable(isReset: Bool) async throws {
        let before: StoredBridge
        do {
            let (file, stored) = try await fill()
            before = stored
            let memory = BridgeMemory(file: file, places: folder.places)
            if isReset {
                try await memory.reset()
            } else {
                let backup = try memory.backup()
                _ = try await memory.restore { backup }
            }
            // The bridge is still running, and its changes don't affect the result.
            try await BridgeDatabase(file.queue).save(PairingList())
            try file.close()
        }
        let after = try await stored()
        #expect((after.server.identity != before.server.identity) == isReset)
        #expect(after.server.pairings.pairings.count == (isReset ? 0 : 1))
    }
}
