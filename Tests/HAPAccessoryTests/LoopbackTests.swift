import HAPAccessory
import HAPController
import Logging
import TestTimeouts
import Testing

/// Records written values, refuses a brightness of 13, and reports a temperature of 30 °C when it is switched on.
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

private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

private func information(_ name: String) -> AccessoryInformation {
    AccessoryInformation(name: name, manufacturer: "Example", model: "M", serialNumber: "S1", firmware: "1.0")
}

/// Serves an accessory while `body` runs, without mDNS.
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
    @Test("pairs with an accessory at an address, reads, writes, subscribes and unpairs")
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

            // Another controller needs only the store, which also contains the address.
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
}
