import HomeClient

@main
struct Lights {
    static func main() async throws {
        let app = AppDeclaration(id: "org.example.lights", usageDescription: "To switch your lights.")
        do {
            try await withHomeManager(app) { manager in try await control(manager) }
        } catch let error as HomeError {
            print(error.message)
        }
    }

    static func control(_ manager: HomeManager) async throws {
        try await manager.waitUntilLoaded()
        guard let home = await manager.primaryHome else { return print("You have no homes yet.") }
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: Lights NAME on|off|PERCENT") }
        guard let lamp = home.accessories.named(arguments[1]).first?.lightbulb else {
            return print("There is no lamp named \(arguments[1]).")
        }

        print("before:", lamp.isOn ?? false, lamp.brightness ?? 100)
        if let percent = Int(arguments[2]) {
            try await manager.write(true, to: .on, of: lamp.service)
            try await manager.write(percent, to: .brightness, of: lamp.service)
        } else {
            try await manager.write(arguments[2] == "on", to: .on, of: lamp.service)
        }
        let changed = await manager.primaryHome?.accessories.named(arguments[1]).first?.lightbulb
        print("after:", changed?.isOn ?? false, changed?.brightness ?? 100)
    }
}
