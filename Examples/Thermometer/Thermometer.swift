// A thermometer for HomeKit. It is a complete accessory that needs neither a bridge nor lamplighterd.
//
//     swift run thermometer DIRECTORY [FILE]
//
// DIRECTORY stores the identity and the pairings. FILE contains the temperature in thousandths of a degree Celsius,
// like the files of the kernel's sensors. The program prints the setup code, which you enter in the Home app (Add
// Accessory, More Options). It needs avahi-daemon, which advertises the accessory on the network.

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

        // The description of the accessory. The category determines the symbol in the Home app while the accessory is
        // added.
        let profile = AccessoryProfile(
            category: .sensor,
            information: AccessoryInformation(
                name: "Thermometer", manufacturer: "Example", model: "Thermometer", serialNumber: "T-0001",
                firmware: "1.0"))

        // The functions: one service with one characteristic. Apple defines their types and limits.
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

    /// Returns the temperature in degrees Celsius, or `nil` if the sensor can't be read.
    private static func read(_ path: String) -> Double? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let thousandths = Double(text.filter { !$0.isWhitespace })
        else { return nil }
        return thousandths / 1000
    }
}
