import FoundationEssentials
import HAPAccessoryTesting
import Logging
import TestTimeouts
import Testing

/// A temporary directory for one test.
private final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)").path()
    deinit { try? FileManager.default.removeItem(atPath: path) }
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

/// Serves an accessory on an in-memory network while `body` runs.
private func serving(
    _ host: AccessoryHost, _ body: @Sendable (AccessoryEndpoint, SetupCode, InMemoryNetwork) async throws -> Void
) async throws {
    let code = try #require(await host.setupPayload.code)
    let network = InMemoryNetwork()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await host.run(on: network) }
        try await body(try #require(AccessoryEndpoint(host: "127.0.0.1", port: host.port)), code, network)
        group.cancelAll()
        try await group.waitForAll()
    }
}

@Suite("A host and its controllers", .timeout)
struct HostTests {
    @Test("reports wrong codes, and after four of them rejects even the right code until pairing is unlocked")
    func wrongCode() async throws {
        let host = try await AccessoryHost(
            AccessoryProfile(category: .switch, information: information("Switch")),
            functions: [AccessoryFunction(.switch, [.on: .bool(false)])], storage: .inMemory(),
            setupCode: SetupCode("123-99-123"), advertises: false, logger: silent)
        try await serving(host) { endpoint, code, network in
            #expect(code.text == "123-99-123")
            let controller = Controller(store: InMemoryPairingStore(), network: network)
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

    @Test("keeps the aids and iids of accessories that are removed and added again")
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
        try await InMemoryNetwork().withAccessory(first) { bridge in
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
        let second = try await bridge(["c", "a"])
        let after = await second.accessories
        #expect(after.map(\.aid.rawValue) == [1, 3, 4])
        #expect(after[1].services.map(\.iid) == before[2].services.map(\.iid))
        try await serving(second) { endpoint, code, network in
            let controller = Controller(store: InMemoryPairingStore(), network: network)
            // The accessory is still paired with the first controller.
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
        // The refused accessory didn't use up an aid, and the added accessory keeps its aid.
        #expect(try await bridge(["d", "b", "a"]).accessories.map(\.aid.rawValue) == [1, 2, 3, 5])
    }

    @Test("reports an invalid accessory and unavailable storage")
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

/// Accepts each write, and sets the fan's speed to the nearest multiple of ten.
private struct Rounding: AccessoryHandler {
    func write(
        _ values: [HAPAccessory.CharacteristicWrite], to accessory: HostedAccessory
    ) async throws -> [WriteResult] {
        for value in values {
            guard case .float(let speed) = value.value else { continue }
            await accessory.update(.rotationSpeed, to: .float((speed / 10).rounded() * 10))
        }
        return values.map { _ in .success }
    }
}

extension HostTests {
    @Test("sends the writer the final value if the step or the handler has changed it", arguments: [1.0, 10])
    func rounds(step: Double) async throws {
        let host = try await AccessoryHost(
            AccessoryProfile(category: .fan, information: information("Fan")),
            functions: [
                AccessoryFunction(.fan, [.on: .bool(false), .rotationSpeed: .float(50)])
                    .with(.rotationSpeed) { $0.step = step }
            ], handler: Rounding(), storage: .inMemory(), logger: silent)
        try await InMemoryNetwork().withAccessory(host) { accessory in
            let speed = try #require(accessory.characteristics(.rotationSpeed).first)
            let on = try #require(accessory.characteristics(.on).first)
            let events = try await accessory.events(of: [speed, on])
            try await accessory.write(.float(73), to: speed)
            // A read delivers its value as an event, too. Once the event of the other value arrives, no more events
            // follow.
            var seen: [CharacteristicValue] = []
            for await event in events {
                guard case .value(let id, let value) = event else { continue }
                if id == speed, value != .float(50) {
                    seen.append(value)
                    if seen.count == 1 { await host.update(.on, to: .bool(true)) }
                }
                if id == on, value == .bool(true) { break }
            }
            #expect(Set(seen) == [.float(70)], "a value that contradicts a write is read again, so it may come twice")
        }
    }
}
