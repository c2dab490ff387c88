import HAPAccessory

// The parts of programs that the articles show, each in a function that has what the part speaks of.

final class Device: AccessorySource {
    let serialNumber: String
    let name: String
    let version: String

    init(serialNumber: String, name: String, version: String) {
        (self.serialNumber, self.name, self.version) = (serialNumber, name, version)
    }

    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus { .success }

    func identify(_ accessory: AccessoryID) async {}
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
            source: device)
    }
    let bridge = try await AccessoryHost(
        AccessoryProfile(category: .bridge, information: information), accessories: sockets, directory: "bridge.state")
    try await bridge.run()
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
        BridgedAccessory(id: found.serialNumber, information: about(found), functions: functions, source: found))
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
