import Glibc
import HAPAccessory

@main
struct Greenhouse {
    static func main() async throws {
        do {
            try await serve()
        } catch let error as AccessoryHostError {
            print("Greenhouse: \(error.message)")
            exit(1)
        }
    }

    static func serve() async throws {
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
        print(await host.isPaired ? "paired" : "not paired yet")
        await host.printSetupCode()
        try await host.runService { print("port: \(try await host.port)") }
        print("ended")
    }
}
