// Switches off all accessories in the primary home. GettingStarted.md contains this code.

import HomeClient

@main
struct AllOff {
    static func main() async throws {
        let app = AppDeclaration(id: "org.example.all-off", usageDescription: "To switch everything off at night.")
        try await withHomeManager(app) { manager in
            try await manager.waitUntilLoaded()  // waits for the user's permission, too
            let accessories = await manager.primaryHome?.accessories ?? []
            let lamps = accessories.compactMap { $0.primaryService?.characteristic(.on) }
            let off = Dictionary(uniqueKeysWithValues: lamps.map { ($0.id, CharacteristicValue.bool(false)) })
            for (id, result) in try await manager.writeValues(off) {
                guard case .failure(let error) = result else { continue }
                print("\(accessories.first { $0.characteristic(id) != nil }?.name ?? ""): \(error.message)")
            }
        }
    }
}
