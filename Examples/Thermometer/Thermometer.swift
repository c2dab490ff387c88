// A thermometer for HomeKit: a stand-alone accessory, without a bridge and without lamplighterd.
//
//     swift run thermometer DIRECTORY [FILE]
//
// DIRECTORY keeps the identity and the pairings; FILE has the temperature in thousandths of a degree Celsius, like the
// kernel's sensors. The program prints the setup code; type it into the Home app (Add Accessory, More
// Options). It needs avahi-daemon, which shows it on the network.

import FoundationEssentials
import Glibc
import HAPAccessory
import Logging

@main
struct Thermometer {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let directory = arguments.first else {
            print("usage: thermometer DIRECTORY [FILE]")
            exit(64)
        }
        let sensor = arguments.dropFirst().first ?? "/sys/class/thermal/thermal_zone0/temp"

        // The category decides which symbol the Home app shows while it is added.
        let profile = AccessoryProfile(
            category: .sensor,
            information: AccessoryInformation(
                name: "Thermometer", manufacturer: "Example", model: "Thermometer", serialNumber: "T-0001",
                firmware: "1.0"))

        // One service with one characteristic. Types and their limits are Apple's.
        let functions = [
            AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(read(sensor) ?? 0)])
        ]

        let host = try await AccessoryHost(
            profile, functions: functions, storage: .directory(directory), logger: Logger(label: "thermometer"))
        await host.printSetupCode()

        // Subscribed controllers get an event whenever the value changes.
        try await host.runService {
            while true {
                if let celsius = read(sensor) { await host.update(.currentTemperature, to: .float(celsius)) }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// The temperature in degrees Celsius; `nil` if the sensor has none.
    private static func read(_ path: String) -> Double? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let thousandths = Double(text.filter { !$0.isWhitespace })
        else { return nil }
        return thousandths / 1000
    }
}
