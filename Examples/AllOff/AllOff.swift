// Switches off whatever is on in the primary home: the lines that README shows.

import HomeClient

@main
struct AllOff {
    static func main() async throws {
        let app = AppDeclaration(id: "org.example.all-off", usageDescription: "To switch everything off at night.")
        try await withHomeManager(app) { manager in
            try await manager.waitUntilLoaded()  // waits for the user's permission, too
            for accessory in await manager.primaryHome?.accessories ?? [] {
                guard let power = accessory.primaryService?.characteristic(.on) else { continue }
                try await manager.writeValue(.bool(false), to: power.id)
            }
        }
    }
}
