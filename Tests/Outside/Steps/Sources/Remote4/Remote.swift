import HAPController

@main
struct Remote {
    static func main() async throws {
        let controller = Controller(store: FilePairingStore(path: "remote.pairings"))
        for id in try await controller.pairedAccessories {
            do {
                try await controller.withAccessory(id) { accessory in try await accessory.unpair() }
                print("unpaired from \(id)")
            } catch let error as ControllerError {
                print("still paired with \(id): \(error.message)")
            }
        }
    }
}
