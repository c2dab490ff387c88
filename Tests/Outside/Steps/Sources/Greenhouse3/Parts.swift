import FoundationEssentials
import HAPAccessory

/// Reports the temperature every second.
struct Climate: AccessoryHandler {
    let probe: Probe

    func run(_ accessory: HostedAccessory) async throws {
        while true {
            let celsius = probe.celsius()
            await accessory.setReachable(celsius != nil)
            if let celsius { await accessory.update(.currentTemperature, to: .float(celsius)) }
            try await Task.sleep(for: .seconds(1))
        }
    }
}

/// A temperature sensor: a file that contains thousandths of a degree Celsius, like the kernel's sensors.
struct Probe {
    let path: String

    /// Returns the temperature in degrees Celsius, or `nil` if the sensor can't be read.
    func celsius() -> Double? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let thousandths = Double(text.filter { !$0.isWhitespace })
        else { return nil }
        return thousandths / 1000
    }
}
