// A bridge whose accessories are added and removed while it runs: a temperature sensor for each file in a directory,
// with the name of the file.
//
//     swift run room-sensors DIRECTORY FILES
//
// DIRECTORY stores the identity, the pairings and the ids of the sensors. FILES is a directory in which each file
// contains a temperature in degrees Celsius. The program prints the setup code. It needs avahi-daemon.

import FoundationEssentials
import Glibc
import HAPAccessory

@main
struct RoomSensors {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            print("usage: room-sensors DIRECTORY FILES")
            exit(64)
        }
        let folder = arguments[2]
        let profile = AccessoryProfile(
            category: .bridge,
            information: AccessoryInformation(
                name: "Room Sensors", manufacturer: "Example", model: "Sensor Bridge", serialNumber: "B-0001",
                firmware: "1.0"))
        let initial = names(in: folder)
        let host = try await AccessoryHost(
            profile, accessories: initial.map { sensor($0, in: folder) }, storage: .directory(arguments[1]))
        await host.printSetupCode()

        try await host.runService {
            var known = Set(initial)
            while true {
                let found = Set(names(in: folder))
                for name in found.subtracting(known) { try await host.add(sensor(name, in: folder)) }
                // If a removed accessory returns, it gets its previous aid.
                for name in known.subtracting(found) { await host.remove(name) }
                known = found
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private static func sensor(_ name: String, in folder: String) -> BridgedAccessory {
        BridgedAccessory(
            id: name,
            information: AccessoryInformation(
                name: name, manufacturer: "Example", model: "Sensor", serialNumber: "S-\(name)", firmware: "1.0"),
            functions: [AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(0)])],
            handler: Sensor(path: "\(folder)/\(name)"))
    }
}

/// A sensor, which reads its file when a controller requests the temperature.
struct Sensor: AccessoryHandler {
    let path: String

    func read(
        _ characteristics: [CharacteristicRead], from accessory: HostedAccessory
    ) async throws -> [ReadResult] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let celsius = Double(text.filter { !$0.isWhitespace })
        else { throw HAPStatus.unableToCommunicate }
        return characteristics.map { _ in .value(.float(celsius)) }
    }
}
