import HAPController

@main
struct Remote {
    static func main() async throws {
        let controller = Controller(store: FilePairingStore(path: "remote.pairings"))
        guard let id = try await controller.pairedAccessories.first else { return print("pair first") }

        try await controller.withAccessory(id) { accessory in
            _ = try await accessory.accessories()
            let temperatures = Set(accessory.characteristics(.currentTemperature))
            for await event in try await accessory.events(of: temperatures) {
                switch event {
                case .connected: print("connected")
                case .disconnected(let error): print("not connected: \(error.message)")
                case .value(let id, let value): print("\(id): \(value)")
                case .unknown(let id, let status): print("\(id) is unknown: \(status)")
                case .occurrence(let id, let value): print("\(id) occurred: \(value)")
                case .structureChanged: print("the accessory has other services now")
                @unknown default: break
                }
            }
        }
    }
}
