import HAPAccessory

// Code from the articles. Each part is in a function that declares the names that it uses.

actor Device: AccessoryHandler {
    nonisolated let serialNumber: String
    nonisolated let name: String
    nonisolated let version: String
    private let connection: Connection

    init(serialNumber: String, name: String, version: String, connection: Connection) {
        (self.serialNumber, self.name, self.version) = (serialNumber, name, version)
        self.connection = connection
    }

    func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult] {
        guard connection.isOpen else { throw HAPStatus.unableToCommunicate }
        return values.map { write in
            if write.type == .rotationSpeed, connection.isJammed { return .failure(.notAllowedInCurrentState) }
            connection.send(write.value)
            return .success
        }
    }

    func read(
        _ characteristics: [CharacteristicRead], from accessory: HostedAccessory
    ) async throws -> [ReadResult] {
        let celsius = try await connection.measure()
        return characteristics.map { $0.type == .currentTemperature ? .value(.float(celsius)) : .unchanged }
    }

    func run(_ accessory: HostedAccessory) async throws {
        for await isOn in connection.changes {
            await accessory.update(.on, in: "left", to: .bool(isOn))
        }
    }
}

struct Connection {
    let isOpen: Bool
    let isJammed: Bool
    let changes: AsyncStream<Bool>

    func send(_ value: CharacteristicValue) {}
    func measure() async throws -> Double { 20 }
}

func serve(_ devices: [Device], as information: AccessoryInformation) async throws {
    let sockets = devices.map { device in
        BridgedAccessory(
            id: device.serialNumber,
            information: AccessoryInformation(
                name: device.name, manufacturer: "Example", model: "Strip", serialNumber: device.serialNumber,
                firmware: device.version),
            functions: [
                AccessoryFunction(.outlet, id: "left", [.on: .bool(false), .outletInUse: .bool(true)]),
                AccessoryFunction(.outlet, id: "right", [.on: .bool(false), .outletInUse: .bool(true)]),
            ],
            handler: device)
    }
    let bridge = try await AccessoryHost(
        AccessoryProfile(category: .bridge, information: information), accessories: sockets,
        storage: .directory("bridge.state"))
    try await bridge.runService()
}

func update(_ bridge: AccessoryHost, _ device: Device) async {
    await bridge.update(.on, of: device.serialNumber, in: "left", to: .bool(true))
    await bridge.setReachable(false, of: device.serialNumber)
}

func change(
    _ bridge: AccessoryHost, _ functions: [AccessoryFunction], found: Device, silent: Device, sold: Device,
    about: (Device) -> AccessoryInformation
) async throws {
    try await bridge.add(
        BridgedAccessory(id: found.serialNumber, information: about(found), functions: functions, handler: found))
    await bridge.setReachable(false, of: silent.serialNumber)
    await bridge.remove(sold.serialNumber)
}

func heater(
    _ characteristics: KeyValuePairs<CharacteristicType, CharacteristicValue>, _ filterAge: CharacteristicType
) -> AccessoryFunction {
    let heater = AccessoryFunction(.heaterCooler, id: "upstairs", characteristics)
        .with(.heatingThresholdTemperature) {
            ($0.minimum, $0.maximum, $0.step) = (12, 24, 0.5)
        }
        .adding(
            filterAge, CharacteristicMetadata(format: .uint32, permissions: [.pairedRead, .notify], unit: .seconds),
            value: .integer(0), description: "Filter")
    return heater
}

func purifier() -> [AccessoryFunction] {
    let functions = [
        AccessoryFunction(
            .airPurifier, linked: ["filter"],
            [.active: .integer(0), .currentAirPurifierState: .integer(0), .targetAirPurifierState: .integer(1)]),
        AccessoryFunction(
            .filterMaintenance, id: "filter", [.filterChangeIndication: .integer(0), .filterLifeLevel: .float(80)]),
    ]
    return functions
}

func test(_ profile: AccessoryProfile, _ functions: [AccessoryFunction]) async throws -> Int {
    let host = try await AccessoryHost(profile, functions: functions, storage: .inMemory(), advertises: false)
    let run = Task { try await host.run() }
    let port = try await host.port
    run.cancel()
    return port
}
