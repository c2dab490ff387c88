import HAPAccessory

@main
struct DeskLamp {
    static func main() async throws {
        let profile = AccessoryProfile(
            category: .lightbulb,
            information: AccessoryInformation(
                name: "Desk Lamp", manufacturer: "Example", model: "Lamp 1", serialNumber: "L-0001", firmware: "1.0"))
        let functions = [
            AccessoryFunction(.lightbulb, [.on: .bool(false), .brightness: .integer(100)]),
            AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(20)]),
        ]

        let host = try await AccessoryHost(
            profile, functions: functions, source: Lamp(), directory: "desk-lamp.state")
        await host.printSetupCode()
        print("port: \(host.port)")

        try await host.run {
            var celsius = 20.0
            while true {
                celsius = celsius > 24 ? 20 : celsius + 0.5
                await host.update(.currentTemperature, to: .float(celsius))
                try await Task.sleep(for: .seconds(1))
            }
        }
    }
}

final class Lamp: AccessorySource {
    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus {
        for write in values {
            switch (write.type, write.value) {
            case (.on, .bool(let isOn)): print(isOn ? "the lamp is on" : "the lamp is off")
            case (.brightness, .integer(let percent)): print("the lamp is at \(percent) %")
            default: return .doesNotExist
            }
        }
        return .success
    }

    func identify(_ accessory: AccessoryID) async { print("the lamp blinks") }
}
