import HAPAccessory

@main
struct Greenhouse {
    static func main() async throws {
        let profile = AccessoryProfile(
            category: .sensor,
            information: AccessoryInformation(
                name: "Greenhouse", manufacturer: "Example", model: "Climate 1", serialNumber: "G-0001",
                firmware: "1.0"))
        let functions = [AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(21.5)])]

        let host = try await AccessoryHost(profile, functions: functions, storage: .directory("greenhouse.state"))
        await host.printSetupCode()
        try await host.runService { print("port: \(try await host.port)") }
    }
}
