import HAPAccessory

@main
struct Greenhouse {
    static func main() async throws {
        let profile = AccessoryProfile(
            category: .sensor,
            information: AccessoryInformation(
                name: "Greenhouse", manufacturer: "Example", model: "Climate 1", serialNumber: "G-0001",
                firmware: "1.0"))
        let probe = Probe(path: "probe")
        let functions = [
            AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(probe.celsius() ?? 0)])
        ]

        let host = try await AccessoryHost(
            profile, functions: functions, handler: Climate(probe: probe), storage: .directory("greenhouse.state"))
        await host.printSetupCode()
        try await host.runService { print("port: \(try await host.port)") }
    }
}
