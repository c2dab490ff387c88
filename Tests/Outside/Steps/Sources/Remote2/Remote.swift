import HAPController
import HAPModel

@main
struct Remote {
    static func main() async throws {
        let controller = Controller(store: FilePairingStore(path: "remote.pairings"))
        guard let id = try await controller.pairedAccessories.first else { return print("pair first") }

        try await controller.withAccessory(id) { accessory in
            for found in try await accessory.accessories() {
                for service in found.services {
                    print("accessory \(found.aid): \(name(of: service.type))")
                    for characteristic in service.characteristics {
                        let value = characteristic.value.map { "\($0)" } ?? "no value"
                        print("    \(name(of: characteristic.type)): \(value)")
                    }
                }
            }
            guard let power = accessory.characteristics(.on, in: .lightbulb).first,
                let brightness = accessory.characteristics(.brightness, in: .lightbulb).first
            else { return print("this accessory has no dimmable lamp") }

            try await accessory.write(.bool(true), to: power)
            for (id, result) in try await accessory.write([brightness: .integer(40), power: .bool(true)]) {
                if case .failure(let status) = result { print("\(id) refused: \(status)") }
            }
            print("on: \(try await accessory.read(power))")
            print("brightness: \(try await accessory.read(brightness))")
        }
    }

    static func name(of type: ServiceType) -> String {
        ServiceDefinition.all.first { $0.type == type }?.name ?? "\(type)"
    }

    static func name(of type: CharacteristicType) -> String { CharacteristicDefinition.of(type)?.name ?? "\(type)" }
}
