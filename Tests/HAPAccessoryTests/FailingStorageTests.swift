import FoundationEssentials
import GRDB
import HAPAccessory
import Logging
import TestTimeouts
import Testing

@Suite("A host whose storage fails", .timeout)
struct FailingStorageTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)").path()

    /// Creates a bridge with an accessory whose id is `a`.
    private func bridge() async throws -> AccessoryHost {
        try await AccessoryHost(
            AccessoryProfile(category: .bridge, information: information("Bridge")), accessories: [outlet("a")],
            storage: .directory(folder), advertises: false,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func information(_ name: String) -> AccessoryInformation {
        AccessoryInformation(name: name, manufacturer: "Example", model: "M", serialNumber: "S1", firmware: "1.0")
    }

    private func outlet(_ id: String) -> BridgedAccessory {
        BridgedAccessory(
            id: id, information: information("Outlet"),
            functions: [AccessoryFunction(.outlet, [.on: .bool(false), .outletInUse: .bool(false)])])
    }

    private func lamp(_ id: String) -> BridgedAccessory {
        BridgedAccessory(
            id: id, information: information("Lamp"), functions: [AccessoryFunction(.lightbulb, [.on: .bool(true)])])
    }

    /// Makes each write of an accessory's ids fail if the write adds characteristics of a light.
    private func breakStorage() async throws {
        let database = try DatabaseQueue(path: folder + "/accessory.sqlite")
        try await database.write { db in
            for event in ["INSERT", "UPDATE"] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER fail\(event) BEFORE \(event) ON bridgedAccessory
                        WHEN NEW.instanceIDs LIKE '%\(ServiceType.lightbulb)%' BEGIN SELECT RAISE(ABORT, 'broken'); END
                        """)
            }
        }
        try database.close()
    }

    @Test("keeps the previous accessory, its values and its ids if its replacement can't be stored")
    func add() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await bridge()
        try await breakStorage()
        let bridge = try await bridge()
        for id in ["a", "b"] {
            await #expect { try await bridge.add(lamp(id)) } throws: {
                ($0 as? AccessoryHostError)?.code == .storageUnavailable
            }
        }
        await bridge.update(.outletInUse, of: "a", to: .bool(true))
        #expect(await bridge.value(.outletInUse, of: "a") == .bool(true))
        #expect(await bridge.value(.on, of: "b") == nil)
        #expect(await bridge.accessories.map(\.aid.rawValue) == [1, 2])
        // The refused accessory didn't use up an aid.
        try await bridge.add(outlet("c"))
        try await bridge.add(outlet("b"))
        #expect(await bridge.accessories.map(\.aid.rawValue) == [1, 2, 3, 4])
        #expect(await bridge.value(.on, of: "b") == .bool(false))
    }
}
