// An air purifier with a filter that wears out. It shows two linked services, a separate result for each written value,
// and a reset.
//
//     swift run air-purifier DIRECTORY
//
// DIRECTORY stores the identity and the pairings. The program prints the setup code. It needs avahi-daemon.

import Glibc
import HAPAccessory

@main
struct AirPurifier {
    static func main() async throws {
        guard let directory = CommandLine.arguments.dropFirst().first else {
            print("usage: air-purifier DIRECTORY")
            exit(64)
        }
        let profile = AccessoryProfile(
            category: .airPurifier,
            information: AccessoryInformation(
                name: "Air Purifier", manufacturer: "Example", model: "Purifier", serialNumber: "P-0001",
                firmware: "1.0"))
        let functions = [
            AccessoryFunction(
                .airPurifier, linked: ["filter"],
                [
                    .active: .integer(0), .currentAirPurifierState: .integer(0), .targetAirPurifierState: .integer(0),
                    .rotationSpeed: .float(50),
                ]),
            AccessoryFunction(
                .filterMaintenance, id: "filter",
                [
                    .filterChangeIndication: .integer(0), .filterLifeLevel: .float(100),
                    .resetFilterIndication: .integer(1),
                ]),
        ]
        let host = try await AccessoryHost(
            profile, functions: functions, handler: Purifier(), storage: .directory(directory))
        await host.printSetupCode()
        try await host.runService()
    }
}

/// The device, which in this example exists only in memory.
actor Purifier: AccessoryHandler {
    private var isActive = false
    private var isAutomatic = false
    private var filterLife = 100.0

    func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult] {
        let results = values.map { write -> WriteResult in
            switch (write.type, write.value) {
            case (.active, .integer(let active)): isActive = active == 1
            case (.targetAirPurifierState, .integer(let target)): isAutomatic = target == 1
            case (.resetFilterIndication, _): filterLife = 100
            // In automatic mode, the device chooses the speed. Reject only this value of the request.
            case (.rotationSpeed, _) where isAutomatic: return .failure(.notAllowedInCurrentState)
            default: break
            }
            return .success
        }
        await report(to: accessory)
        return results
    }

    func run(_ accessory: HostedAccessory) async throws {
        while true {
            try await Task.sleep(for: .milliseconds(500))
            if isActive { filterLife = max(0, filterLife - 10) }
            await report(to: accessory)
        }
    }

    private func report(to accessory: HostedAccessory) async {
        await accessory.update(.currentAirPurifierState, to: .integer(isActive ? 2 : 0))
        await accessory.update(.filterLifeLevel, in: "filter", to: .float(filterLife))
        await accessory.update(.filterChangeIndication, in: "filter", to: .integer(filterLife < 20 ? 1 : 0))
    }
}
