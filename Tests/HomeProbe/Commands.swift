import BoundedJSON
import HAPModel
import HomeClient
import HomeModel

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

/// The commands of the probe: `{"do": NAME, ...}`. IDs are strings, and values have the same form as on the home's
/// socket.
actor Commands {
    private let manager: HomeManager
    private let browser: AccessoryBrowser
    private var running: [String: Task<JSONValue, any Error>] = [:]
    private var background: [Task<Void, Never>] = []
    private var found: [DeviceID: DiscoveredAccessory] = [:]
    /// The last elements of the followed streams.
    private var lastValues: [Characteristic.ID: JSONValue] = [:]
    private var lastSnapshot: HomeSnapshot?

    init(_ manager: HomeManager) {
        self.manager = manager
        browser = manager.makeAccessoryBrowser()
    }

    /// Performs a command.
    func answer(_ line: String) async -> JSONValue {
        var reply = JSONObject()
        do {
            let command = Command(json: try JSONValue(parsing: line))
            reply["id"] = command.json["id"]
            let task = Task { try await self.perform(command) }
            if let id = command.json["id"] { running["\(id)"] = task }
            defer { if let id = command.json["id"] { running["\(id)"] = nil } }
            reply["answer"] = try await task.value
        } catch let error as HomeError {
            reply["error"] = error.json
        } catch {
            reply["error"] = .string("\(error)")
        }
        return .object(reply)
    }

    /// Cancels all running tasks.
    func cancelAll() {
        for task in running.values { task.cancel() }
        for task in background { task.cancel() }
    }

    private func perform(_ command: Command) async throws -> JSONValue {
        for group in [homes, values, setup] {
            if let answer = try await group(command) { return answer }
        }
        throw HomeError(.invalidParameter, detail: "no such command")
    }

    // MARK: Homes

    private func homes(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "wait":
            try await manager.waitUntilLoaded()
            return true
        case "status": return ["isConnected": .bool(await manager.isConnected)]
        case "homes": return await manager.homes.json
        case "addHome": return try await manager.addHome(named: try command.text("name")).json
        case "addRoom":
            return try await manager.addRoom(named: try command.text("name"), to: try command.id("home")).json
        case "assignAccessory":
            return try await manager.assignAccessory(
                try command.id("accessory"), to: try command.id("room"), in: try command.id("home")
            ).json
        case "renameAccessory":
            return try await manager.renameAccessory(try command.id("accessory"), to: try command.text("name")).json
        default: return nil
        }
    }

    // MARK: Values

    private func values(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "readValue": return try await manager.readValue(of: try command.id("characteristic")).json
        case "readValues":
            return Self.json(try await manager.readValues(of: try command.ids("characteristics"))) { $0.json }
        case "writeValue":
            return try await manager.writeValue(
                try command.value("value"), to: try command.id("characteristic")
            )?.json ?? .null
        case "writeValues":
            var values: [Characteristic.ID: CharacteristicValue] = [:]
            for member in command.json["values"]?.object?.members ?? [] {
                guard let id = Characteristic.ID(member.name) else { throw Command.missing("values") }
                values[id] = try CharacteristicValue(json: member.value)
            }
            return Self.json(try await manager.writeValues(values)) { $0.json }
        case "setNotification":
            let isEnabled = try command.flag("isEnabled")
            if command.json["characteristics"] == nil {
                try await manager.enableNotification(isEnabled, for: try command.id("characteristic"))
                return true
            }
            return Self.json(
                try await manager.enableNotification(isEnabled, for: try command.ids("characteristics"))
            ) { true }
        case "follow":
            let ids: [Characteristic.ID] = try command.ids("characteristics")
            for id in ids { background.append(Task { await follow(id) }) }
            background.append(
                Task { for await snapshot in manager.snapshots(observing: .everything) { lastSnapshot = snapshot } })
            return true
        case "followed":
            var values = JSONObject()
            for (id, value) in lastValues { values["\(id)"] = value }
            return ["values": .object(values), "homes": lastSnapshot?.homes.json ?? .null]
        default: return nil
        }
    }

    /// Keeps the last element of a characteristic's stream while the app runs.
    private func follow(_ id: Characteristic.ID) async {
        do {
            for try await value in manager.values(of: id) { lastValues[id] = value.value.json }
        } catch {
            lastValues[id] = .string("\(error)")
        }
    }

    private static func json<Value>(
        _ results: [Characteristic.ID: Result<Value, HomeError>], _ read: (Value) -> JSONValue
    ) -> JSONValue {
        var object = JSONObject()
        for (id, result) in results.sorted(by: { $0.key < $1.key }) {
            switch result {
            case .success(let value): object["\(id)"] = ["value": read(value)]
            case .failure(let error): object["\(id)"] = ["error": error.json]
            }
        }
        return .object(object)
    }

    // MARK: Searching and adding

    private func setup(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "startBrowsing":
            try await browser.start()
            if background.isEmpty {
                background.append(Task { [browser] in for await event in browser.events { self.tell(event) } })
            }
            return true
        case "stopBrowsing":
            await browser.stop()
            return true
        case "addAccessory":
            guard let code = command.json["code"]?.string.flatMap({ SetupCode(typed: $0) }),
                let device = command.json["device"]?.string.flatMap({ DeviceID($0) }), let accessory = found[device]
            else { throw Command.missing("code and device, found by a search") }
            return try await manager.addAccessory(
                accessory, code: code, to: try command.id("home"), name: command.json["name"]?.string
            ).json
        default: return nil
        }
    }

    private func tell(_ event: BrowserEvent) {
        switch event {
        case .found(let accessory):
            found[accessory.id] = accessory
            HomeProbe.say(["event": "browser.found", "accessory": accessory.json])
        case .removed(let accessory): HomeProbe.say(["event": "browser.removed", "accessory": accessory.json])
        case .reset(let accessories):
            for accessory in accessories { found[accessory.id] = accessory }
            HomeProbe.say(["event": "browser.reset", "accessories": accessories.json])
        }
    }
}

/// One line of the probe's input.
struct Command {
    let json: JSONValue

    var name: String { json["do"]?.string ?? "" }

    static func missing(_ name: String) -> HomeError { HomeError(.missingParameter, detail: "\(name) is missing") }

    func id<Entity>(_ name: String) throws -> Identifier<Entity> {
        guard let id = json[name]?.string.flatMap({ Identifier<Entity>($0) }) else { throw Self.missing(name) }
        return id
    }

    func ids<Entity>(_ name: String) throws -> [Identifier<Entity>] {
        (json[name]?.array ?? []).compactMap { $0.string.flatMap { Identifier<Entity>($0) } }
    }

    func text(_ name: String) throws -> String {
        guard let text = json[name]?.string else { throw Self.missing(name) }
        return text
    }

    func flag(_ name: String) throws -> Bool {
        guard let flag = json[name]?.bool else { throw Self.missing(name) }
        return flag
    }

    func value(_ name: String) throws -> CharacteristicValue? {
        guard let json = json[name], !json.isNull else { return nil }
        return try CharacteristicValue(json: json)
    }
}

extension AddResult {
    var json: JSONValue {
        switch self {
        case .added(let accessories): ["added": accessories.json]
        case .handedOver(let app): ["handedOver": .string(app)]
        }
    }
}
