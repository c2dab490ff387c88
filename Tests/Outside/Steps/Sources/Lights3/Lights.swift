import HomeClient

@main
struct Lights {
    static func main() async throws {
        let app = AppDeclaration(id: "org.example.lights", usageDescription: "To switch your lights.")
        do {
            try await withHomeManager(app) { manager in try await watch(manager) }
        } catch let error as HomeError {
            print(error.message)
        }
    }

    static func watch(_ manager: HomeManager) async throws {
        try await manager.waitUntilLoaded()
        guard let home = await manager.primaryHome else { return print("You have no homes yet.") }
        var shown: [Accessory.ID: String] = [:]
        for await snapshot in manager.snapshots(observing: .home(home.id)) {
            guard snapshot.authorizationStatus.contains(.authorized) else { return print("You have withdrawn access.") }
            for accessory in snapshot.home(home.id)?.accessories ?? [] {
                guard let lamp = accessory.lightbulb else { continue }
                let state = snapshot.isCurrent ? state(of: lamp, isReachable: accessory.isReachable) : "not connected"
                if shown.updateValue(state, forKey: accessory.id) != state { print(accessory.name, state) }
            }
        }
    }

    static func state(of lamp: Lightbulb, isReachable: Bool) -> String {
        guard isReachable else { return "no response" }
        guard lamp.isOn == true else { return "off" }
        return lamp.brightness.map { "\($0) %" } ?? "on"
    }
}
