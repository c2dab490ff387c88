import FoundationEssentials
import HAPAccessory
import HAPController
import Logging
import TestTimeouts
import Testing

/// A temporary directory for one test.
private final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)").path()
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Records written values, refuses a brightness of 13, and warms up when it is lit.
private actor Lamp: AccessoryHandler {
    private(set) var written: [String] = []
    private(set) var identified: [String?] = []

    func write(
        _ values: [HAPAccessory.CharacteristicWrite], to accessory: HostedAccessory
    ) async throws -> [WriteResult] {
        written += values.map { "\($0.function ?? "-") \($0.value)" }
        if values.contains(where: { $0.value == .bool(true) }) {
            await accessory.update(.currentTemperature, to: .float(30))
        }
        return values.map { $0.value == .integer(13) ? .failure(.notAllowedInCurrentState) : .success }
    }

    func identify(_ accessory: HostedAccessory) { identified.append(accessory.id) }
}

/// Records written values.
private actor Outlets: AccessoryHandler {
    private(set) var written: [String] = []

    func write(
        _ values: [HAPAccessory.CharacteristicWrite], to accessory: HostedAccessory
    ) async throws -> [WriteResult] {
        written += values.map { "\(accessory.id ?? "-") \($0.function ?? "-") \($0.value)" }
        return values.map { _ in .success }
    }
}

private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

private func information(_ name: String) -> AccessoryInformation {
    AccessoryInformation(name: name, manufacturer: "Example", model: "M", serialNumber: "S1", firmware: "1.0")
}

/// Serves an accessory for as long as the body, without mDNS.
private func serving<Value: Sendable>(
    _ host: AccessoryHost, _ body: @Sendable (AccessoryEndpoint, SetupCode) async throws -> Value
) async throws -> Value {
    let code = try #require(await host.setupPayload.code)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await host.run() }
        let endpoint = try #require(try await AccessoryEndpoint(host: "127.0.0.1", port: host.port))
        let value = try await body(endpoint, code)
        group.cancelAll()
        try? await group.waitForAll()
        return value
    }
}

@Suite("AccessoryHost and Controller over TCP", .timeout)
struct LoopbackTests {
    @Test("pairs by an address, reads, writes, subscribes and unpairs")
    func standAlone() async throws {
        let (storage, lamp) = (AccessoryStorage.inMemory(), Lamp())
        let host = try await AccessoryHost(
            AccessoryProfile(category: .lightbulb, information: information("Desk Lamp")),
            functions: [
                AccessoryFunction(.lightbulb, [.on: .bool(false), .brightness: .integer(50)]),
                AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(20)]),
            ], handler: lamp, storage: storage, advertises: false, logger: silent)
        let store = InMemoryPairingStore()
        try await serving(host) { endpoint, code in
            let controller = Controller(store: store, logger: silent)
            let id = try await controller.pair(at: endpoint, code: code)
            #expect(id == host.deviceID)
            #expect(await host.isPaired)
            #expect(try await controller.pairedAccessories == [id])

            // The store is enough for another controller, including the address.
            let later = Controller(store: store, logger: silent)
            try await later.withAccessory(id) { accessory in
                #expect(try await accessory.accessories().count == 1)
                let on = try #require(accessory.characteristics(.on).first)
                let brightness = try #require(accessory.characteristics(.brightness, in: .lightbulb).first)
                let temperature = try #require(accessory.characteristics(.currentTemperature).first)
                #expect(try await accessory.read(on) == .bool(false))
                try await accessory.write(.bool(true), to: on)
                #expect(await host.value(.on) == .bool(true))
                #expect(
                    try await accessory.write([brightness: .integer(80)], timed: true) == [brightness: .success(nil)])
                await #expect {
                    try await accessory.write(.integer(13), to: brightness)
                } throws: {
                    ($0 as? ControllerError)?.status == .notAllowedInCurrentState
                }
                #expect(await lamp.written == ["- bool(true)", "- integer(80)", "- integer(13)"])
                try await accessory.identify()
                #expect(await lamp.identified == [nil])
                #expect(await host.value(.currentTemperature) == .float(30))

                let events = try await accessory.events(of: [temperature])
                await host.update(.currentTemperature, to: .float(21.5))
                #expect(await events.first { $0 == .value(temperature, .float(21.5)) } != nil)
                try await accessory.unpair()
            }
            #expect(try await later.pairedAccessories == [])
            #expect(await !host.isPaired)
        }
    }

    @Test("reports a wrong code, and refuses even the right one after four until pairing is unlocked")
    func wrongCode() async throws {
        let host = try await AccessoryHost(
            AccessoryProfile(category: .switch, information: information("Switch")),
            functions: [AccessoryFunction(.switch, [.on: .bool(false)])], storage: .inMemory(),
            setupCode: SetupCode("123-99-123"), advertises: false, logger: silent)
        try await serving(host) { endpoint, code in
            #expect(code.text == "123-99-123")
            let controller = Controller(store: InMemoryPairingStore(), logger: silent)
            let wrong = try #require(SetupCode("123-99-124"))
            for _ in 0..<4 {
                await #expect {
                    _ = try await controller.pair(at: endpoint, code: wrong)
                } throws: {
                    ($0 as? ControllerError)?.code == .wrongCode
                }
            }
            #expect(try await controller.pairedAccessories == [])
            await #expect(throws: ControllerError.self) { try await controller.pair(at: endpoint, code: code) }
            try await host.unlockPairing()
            _ = try await controller.pair(at: endpoint, code: code)
            #expect(await host.isPaired)
        }
    }

    @Test("keeps aids and iids by the program's ids while accessories come and go")
    func bridge() async throws {
        let (folder, outlets) = (Folder(), Outlets())
        func bridge(_ ids: [String]) async throws -> AccessoryHost {
            try await AccessoryHost(
                AccessoryProfile(category: .bridge, information: information("Bridge")),
                accessories: ids.map { id in
                    BridgedAccessory(
                        id: id, information: information("Strip"),
                        functions: ["left", "right"].map {
                            AccessoryFunction(.outlet, id: $0, [.on: .bool(false), .outletInUse: .bool(true)])
                        },
                        handler: outlets)
                }, storage: .directory(folder.path), advertises: false, logger: silent)
        }
        let first = try await bridge(["b", "a"])
        let before = await first.accessories
        #expect(before.map(\.aid.rawValue) == [1, 2, 3])
        try await serving(first) { endpoint, code in
            let controller = Controller(store: InMemoryPairingStore(), logger: silent)
            let id = try await controller.pair(at: endpoint, code: code)
            try await controller.withAccessory(id) { bridge in
                _ = try await bridge.accessories()
                let on = bridge.characteristics(.on)
                #expect(on.count == 4)
                try await bridge.write(.bool(true), to: on[3])
                #expect(await outlets.written == ["a right bool(true)"])
                #expect(await first.value(.on, of: "a", in: "right") == .bool(true))
                #expect(await first.value(.on, of: "a") == .bool(false))

                await first.setReachable(false, of: "b")
                await #expect {
                    _ = try await bridge.read(on[0])
                } throws: {
                    ($0 as? ControllerError)?.status == .unableToCommunicate
                }
            }
        }
        let second = try await bridge(["c", "a"])
        let after = await second.accessories
        #expect(after.map(\.aid.rawValue) == [1, 3, 4])
        #expect(after[1].services.map(\.iid) == before[2].services.map(\.iid))
        try await serving(second) { endpoint, code in
            let controller = Controller(store: InMemoryPairingStore(), logger: silent)
            // It is still paired with the first controller.
            await #expect { _ = try await controller.pair(at: endpoint, code: code) } throws: {
                ($0 as? ControllerError)?.code == .alreadyPaired
            }
            await second.remove("a")
            await second.remove("unknown")
            try await second.add(
                BridgedAccessory(
                    id: "b", information: information("Strip"),
                    functions: [AccessoryFunction(.switch, [.on: .bool(true)])]))
            await #expect(throws: AccessoryHostError.self) {
                try await second.add(
                    BridgedAccessory(
                        id: "d", information: information("Bad"), functions: [AccessoryFunction(.switch, [:])]))
            }
            let now = await second.accessories
            #expect(now.map(\.aid.rawValue) == [1, 2, 4])
            #expect(now[1].services.last?.type == .switch)
            #expect(await second.value(.on, of: "b") == .bool(true))
            #expect(await second.value(.on, of: "a") == nil)
        }
        // The refused accessory has no aid; the added one keeps its own.
        #expect(try await bridge(["d", "b", "a"]).accessories.map(\.aid.rawValue) == [1, 2, 3, 5])
    }

    @Test("reports an invalid accessory and an unavailable storage")
    func errors() async throws {
        let profile = AccessoryProfile(category: .switch, information: information("Switch"))
        func code(_ body: () async throws(AccessoryHostError) -> AccessoryHost) async -> AccessoryHostError.Code? {
            do throws(AccessoryHostError) {
                _ = try await body()
                return nil
            } catch {
                return error.code
            }
        }
        #expect(
            await code { () throws(AccessoryHostError) in
                try await AccessoryHost(
                    profile, functions: [AccessoryFunction(.switch, [:])], storage: .inMemory(), logger: silent)
            } == .invalidAccessory)
        let unknown = try #require(HAPType("6D2AE1C0-0000-4000-8000-000000000001"))
        #expect(
            await code { () throws(AccessoryHostError) in
                try await AccessoryHost(
                    profile,
                    functions: [
                        AccessoryFunction(.switch, [.on: .bool(true), CharacteristicType(unknown): .bool(true)])
                    ],
                    storage: .inMemory(), logger: silent)
            } == .invalidAccessory)
        #expect(
            await code { () throws(AccessoryHostError) in
                try await AccessoryHost(profile, functions: [], storage: .directory("/proc/no"), logger: silent)
            } == .storageUnavailable)
    }
}
