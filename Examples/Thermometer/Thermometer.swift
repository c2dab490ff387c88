// A thermometer for HomeKit: a whole accessory of its own, with no bridge and no lamplighterd.
//
//     swift run thermometer DIRECTORY [FILE]
//
// In DIRECTORY it keeps who it is and who has paired with it; FILE has the temperature, in thousandths of a degree Celsius,
// as the kernel's sensors have it. The program prints the setup code; type it into the Home app (Add Accessory, More
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

        // What it is. The category decides which symbol the Home app shows while it is added.
        let profile = AccessoryProfile(
            category: .sensor,
            information: AccessoryInformation(
                name: "Thermometer", manufacturer: "Example", model: "Thermometer", serialNumber: "T-0001",
                firmware: "1.0"))

        // What it can do: one service with one characteristic. Types and their limits are Apple's.
        let functions = [
            AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(read(sensor) ?? 0)])
        ]

        let host = try await AccessoryHost(
            profile, functions: functions, directory: directory, logger: Logger(label: "thermometer"))
        await host.printSetupCode()

        // What it does all the time. Controllers that subscribe get an event whenever the value is another one.
        try await host.run {
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
