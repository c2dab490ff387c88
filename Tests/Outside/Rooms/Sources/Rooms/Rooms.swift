import HomeClient

@main
struct Rooms {
    static func main() async throws {
        let app = AppDeclaration(id: "org.example.rooms", usageDescription: "To set up your rooms.")
        do {
            try await withHomeManager(app) { manager in try await setUp(manager) }
        } catch let error as HomeError where error.code == .homeAccessNotAuthorized {
            print("This app has no access to your home. To allow it: homehub privacy allow \(app.id)")
        }
    }

    static func setUp(_ manager: HomeManager) async throws {
        try await manager.waitUntilLoaded()
        guard let home = await manager.primaryHome else { return print("You have no homes yet.") }

        let kitchen = try await manager.addRoom(named: "Kitchen", to: home.id)
        let bedroom = try await manager.addRoom(named: "Bedroom", to: home.id)
        let upstairs = try await manager.addZone(named: "Upstairs", to: home.id)
        try await manager.addRoom(bedroom.id, toZone: upstairs.id)
        let night = try await manager.addActionSet(named: "Good Night", to: home.id)

        do throws(HomeError) {
            _ = try await manager.addRoom(named: "kitchen", to: home.id)
        } catch {
            print("\(error.code.name): \(error.message)")
        }

        let lamps = home.accessories.compactMap { $0.primaryService?.characteristic(.on) }
        try await manager.setActions(
            lamps.map { CharacteristicWriteAction(characteristic: $0.id, targetValue: .bool(false)) }, of: night.id)

        for room in await manager.primaryHome?.rooms ?? [] { print("room: \(room.name)") }
        for zone in await manager.primaryHome?.zones ?? [] { print("zone: \(zone.name)") }
        try await manager.removeRoom(kitchen.id, from: home.id)
        print("rooms: \(await manager.primaryHome?.rooms.count ?? 0)")
    }
}
