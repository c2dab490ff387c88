import HomeClient

@main
struct Lights {
    static func main() async throws {
        let app = AppDeclaration(id: "org.example.lights", usageDescription: "To switch your lights.")
        do {
            try await withHomeManager(app) { manager in try await list(manager) }
        } catch let error as HomeError {
            print(error.message)
        }
    }

    static func list(_ manager: HomeManager) async throws {
        try await manager.waitUntilLoaded()
        guard let home = await manager.primaryHome else { return print("You have no homes yet.") }
        for group in home.grouped(by: .room) {
            print(group.name, group.accessories.map(\.name))
        }
    }
}
