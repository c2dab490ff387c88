// A TV with two inputs, which are linked services. Controllers can switch it on, choose an input, and press keys of the
// remote control.
//
//     swift run television DIRECTORY
//
// DIRECTORY stores the identity and the pairings. The program prints the setup code. It needs avahi-daemon.

import Glibc
import HAPAccessory

@main
struct Television {
    static func main() async throws {
        guard let directory = CommandLine.arguments.dropFirst().first else {
            print("usage: television DIRECTORY")
            exit(64)
        }
        let profile = AccessoryProfile(
            category: .television,
            information: AccessoryInformation(
                name: "Television", manufacturer: "Example", model: "TV", serialNumber: "TV-0001", firmware: "1.0"))
        let television = AccessoryFunction(
            .television, isPrimary: true, linked: ["antenna", "console"],
            [
                .active: .integer(0), .activeIdentifier: .integer(1), .configuredName: .string("Television"),
                .remoteKey: .integer(0), .sleepDiscoveryMode: .integer(1),
            ])
        // The type of an input: 2 is a tuner, 3 is HDMI.
        let functions = [
            television, input("antenna", "Antenna", number: 1, type: 2),
            input("console", "Console", number: 2, type: 3),
        ]
        let host = try await AccessoryHost(
            profile, functions: functions, handler: Screen(), storage: .directory(directory))
        await host.printSetupCode()
        try await host.runService()
    }

    private static func input(_ id: String, _ name: String, number: Int64, type: Int64) -> AccessoryFunction {
        AccessoryFunction(
            .inputSource, id: id,
            [
                .identifier: .integer(number), .configuredName: .string(name), .name: .string(name),
                .inputSourceType: .integer(type), .isConfigured: .integer(1), .currentVisibilityState: .integer(0),
            ])
    }
}

/// The device, which in this example exists only in memory.
actor Screen: AccessoryHandler {
    private var isOn = false

    func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult] {
        values.map { write in
            switch (write.type, write.value) {
            case (.active, .integer(let active)): isOn = active == 1
            case (.activeIdentifier, .integer(let number)):
                guard (1...2).contains(number) else { return .failure(.invalidValue) }
                show("input \(number)")
            case (.remoteKey, .integer(let key)):
                guard isOn else { return .failure(.notAllowedInCurrentState) }
                show("key \(key)")
            case (.configuredName, .string(let name)): show("\(write.function ?? "television") is called \(name)")
            default: break
            }
            return .success
        }
    }

    private func show(_ text: String) {
        print(text)
        fflush(nil)
    }
}
