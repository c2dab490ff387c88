import HomeClient

// Code from the articles. Each part is in a function that declares the values that it uses.

func switchLamp(_ manager: HomeManager, _ home: Home) async throws(HomeError) {
    if let lamp = home.accessories.named("reading lamp").first?.lightbulb {
        print(lamp.isOn ?? false, lamp.brightness ?? 100)
        try await manager.write(true, to: .on, of: lamp.service)
        try await manager.write(40, to: .brightness, of: lamp.service)
    }
}

func showHome(_ manager: HomeManager, _ home: Home) async {
    for await snapshot in manager.snapshots(observing: .home(home.id)) {
        for accessory in snapshot.home(home.id)?.accessories ?? [] {
            let state = accessory.lightbulb?.isOn == true ? "on" : "off"
            print(accessory.name, snapshot.isCurrent ? state : "not connected")
        }
    }
}

@MainActor final class RoomList {
    var rooms: [Room] = []

    func follow(_ app: AppDeclaration) async {
        await withHomeManager(app) { manager in
            for await snapshot in manager.snapshots() { rooms = snapshot.primaryHome?.rooms ?? [] }
        }
    }
}

func showBrightness(_ manager: HomeManager, _ lamp: Lightbulb) async throws {
    if let brightness = lamp.service.characteristic(.brightness) {
        for try await change in manager.values(of: brightness.id) where change.origin != .own {
            print(change.value)
        }
    }
}

func follow(_ manager: HomeManager, _ home: Home) async {
    for await event in manager.events(in: home.id) {
        switch event.change {
        case .accessoryAdded(let accessory): print("\(accessory.name) was added")
        case .homesUpdated: print("reloaded: \(event.home.name)")
        default: break
        }
    }
}

func dim(_ manager: HomeManager, _ power: Characteristic, _ brightness: Characteristic) async throws(HomeError) {
    for (id, result) in try await manager.writeValues([power.id: .bool(true), brightness.id: .integer(10)]) {
        if case .failure(let error) = result { print("\(id): \(error.message)") }
    }
}

func setUp(_ manager: HomeManager) async throws {
    let setup = try await manager.beginSetup()
    for await state in setup.states {
        switch state {
        case .searching(let devices): print("On the network:", devices.map(\.name))
        case .choosing(let devices): print("Which device?", devices.map(\.name))
        case .code(let question): print(question.refusal?.message ?? "Enter the eight digits.")
        case .connecting: print("One moment.")
        case .naming(let question): print("Choose a name, such as", question.suggestions)
        case .room(let question): print("Which room?", question.home.rooms.map(\.name))
        case .serviceType(let service, _, let choices): print("What is \(service.name)?", choices)
        case .favorite(let service, _): print("Is \(service.name) a favorite?")
        case .handedOver(let app): print("Continue in \(app).")
        case .done(let result): print(result.accessories.count, "added")
        case .failed(let error): print(error.message)
        @unknown default: print("This needs a newer version of this app.")
        }
    }
}

func addAutomation(_ manager: HomeManager, _ home: Home) async throws(HomeError) {
    let motion = home.accessories.named("hall sensor").first?.primaryService?.characteristic(.motionDetected)
    let lamp = home.accessories.named("hall lamp").first?.primaryService?.characteristic(.on)
    if let motion, let lamp {
        try await manager.setLocation(
            try HomeLocation(latitude: 52.52, longitude: 13.40, timeZone: "Europe/Berlin"), of: home.id)
        let definition = TriggerDefinition(
            events: [.characteristic(motion.id, value: .bool(true))], endEvents: [.duration(.seconds(300))],
            condition: .sun(.after, SunTime(.sunset)),
            steps: [.write([CharacteristicWriteAction(characteristic: lamp.id, targetValue: .bool(true))])])
        let trigger = try await manager.addTrigger(named: "Hall Light", to: home.id, definition)
        print("\(trigger.name): \(home.activationState(of: trigger))")
    }
}

func showHistory(_ manager: HomeManager, _ home: Home, _ trigger: Trigger) async throws(HomeError) {
    for record in try await manager.triggerHistory(of: home.id, trigger: trigger.id) {
        switch record.result {
        case .ran: print(record.time, "ran", record.outcomes.compactMap(\.error).map(\.message))
        case .conditionFalse(let part): print(record.time, "didn't run because of", part)
        case .missed(let first, let count): print(first, "missed", count)
        default: print(record.time, record.result)
        }
    }
    let record = try await manager.runTrigger(trigger.id, mode: .check)
    print("now: \(record.result)")
}

func reportPresence(_ manager: HomeManager, _ home: Home) async throws(HomeError) {
    if let anna = home.people.first(where: { $0.name == "Anna" }) {
        try await manager.setPresence(of: anna.id, isHome: true)
    }
    for await message in try await manager.messages() { print(message.time, message.text) }
}

func addRoom(_ name: String, _ home: Home, _ manager: HomeManager) async {
    func offer(_ names: [String]) {}
    func explainPermission() {}
    func show(_ message: String) {}
    do throws(HomeError) {
        _ = try await manager.addRoom(named: name, to: home.id)
    } catch {
        switch error.code {
        case .objectWithSimilarNameExistsInHome: offer(error.suggestions)
        case .homeAccessNotAuthorized: explainPermission()
        default: show(error.message)
        }
    }
}
