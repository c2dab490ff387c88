import DeviceKit
import Testing

@testable import LightDrivers

@Suite("The names of Shelly's sensors and meters")
struct ShellyReadingsTests {
    private struct Part: ShellyReadings {
        var key: String
        var name: String?
        var readings: [SensorReading: SensorValue]

        init(_ reading: SensorReading, name: String? = nil) {
            key = "\(reading)"
            self.name = name
            readings = [reading: .unknown, .battery: .unknown]
        }
    }

    @Test(
        "are the device's name, with a noun if the device has outputs, and a number if there are several of a kind",
        arguments: [
            ([Part(.temperature)], false, ["Hall"]), ([Part(.temperature)], true, ["Hall Sensor"]),
            ([Part(.power)], false, ["Hall"]), ([Part(.power)], true, ["Hall Meter"]),
            ([Part(.temperature), Part(.power)], false, ["Hall", "Hall"]),
            (
                [Part(.power), Part(.temperature), Part(.energy), Part(.humidity, name: "Bath")], true,
                ["Hall Meter 1", "Hall Sensor 1", "Hall Meter 2", "Bath"]
            ),
        ] as [([Part], Bool, [String])])
    private func names(parts: [Part], hasOutputs: Bool, names: [String]) {
        let descriptions = parts.descriptions(hasOutputs: hasOutputs, of: "Hall") {
            LightDescription(id: LightID($0), name: $1, kind: $2, capabilities: $3)
        }
        #expect(descriptions.map(\.name) == names)
        #expect(descriptions.map { $0.kind == .meter } == parts.map(\.isMeter))
    }
}
