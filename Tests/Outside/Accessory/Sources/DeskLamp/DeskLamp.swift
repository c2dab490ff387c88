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
            profile, functions: functions, handler: Lamp(), storage: .directory("desk-lamp.state"))
        await host.printSetupCode()

        try await host.runService {
            print("port: \(try await host.port)")
        }
    }
}

struct Lamp: AccessoryHandler {
    func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult] {
        values.map { write in
            switch (write.type, write.value) {
            case (.on, .bool(let isOn)): print(isOn ? "the lamp is on" : "the lamp is off")
            case (.brightness, .integer(let percent)): print("the lamp is at \(percent) %")
            default: return .failure(.doesNotExist)
            }
            return .success
        }
    }

    func identify(_ accessory: HostedAccessory) async { print("the lamp blinks") }

    func run(_ accessory: HostedAccessory) async throws {
        var celsius = 20.0
        while true {
            celsius = celsius > 24 ? 20 : celsius + 0.5
            await accessory.update(.currentTemperature, to: .float(celsius))
            try await Task.sleep(for: .seconds(1))
        }
    }
}
