import BoundedJSON
import HAPModel
import HomeClient
import HomeModel

import struct HAPModel.DeviceID
import struct HAPModel.ServiceType
import struct HAPModel.SetupCode

/// What the probe is told to do: `{"do": NAME, ...}`; identities are texts, values as on the home's socket.
actor Commands {
    private let manager: HomeManager
    private let browser: AccessoryBrowser
    /// What maker's requests came, to be answered by their identity.
    private var running: [String: Task<JSONValue, any Error>] = [:]
    private var background: [Task<Void, Never>] = []
    private var found: [DeviceID: DiscoveredAccessory] = [:]
    /// The last elements of the streams that are followed.
    private var lastValues: [HomeModel.Characteristic.ID: JSONValue] = [:]
    private var lastSnapshot: HomeSnapshot?

    init(_ manager: HomeManager) {
        self.manager = manager
        browser = manager.makeAccessoryBrowser()
    }

    /// Carries a command out.
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

    /// Ends everything that runs.
    func cancelAll() {
        for task in running.values { task.cancel() }
        for task in background { task.cancel() }
    }

    private func perform(_ command: Command) async throws -> JSONValue {
        for group in [about, homes, rooms, accessories, values, scenes, setup, privacy] {
            if let answer = try await group(command) { return answer }
        }
        throw HomeError(.invalidParameter, detail: "no such command")
    }

    // MARK: The app itself

    private func about(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "wait":
            try await manager.waitUntilLoaded()
            return true
        case "status":
            return [
                "isConnected": .bool(await manager.isConnected), "isLoaded": .bool(await manager.isLoaded),
                "isSystemApp": .bool(await manager.isSystemApp),
                "status": .integer(Int64(await manager.authorizationStatus.rawValue)),
                "socket": .string(manager.socket),
            ]
        // Everything that the app sees, for comparison.
        case "homes": return await manager.homes.json
        // What is wrong with it: nothing, at any moment.
        case "breaches": return .array(HomeGraph(homes: await manager.homes).breaches.map { .string($0) })
        case "cancel":
            if let id = command.json["call"] { running["\(id)"]?.cancel() }
            return true
        default: return nil
        }
    }

    // MARK: Homes and rooms

    private func homes(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "addHome": return try await manager.addHome(named: try command.text("name")).json
        case "renameHome":
            return try await manager.renameHome(try command.id("home"), to: try command.text("name")).json
        case "removeHome": return try await manager.removeHome(try command.id("home")).json
        case "setPrimaryHome": return try await manager.setPrimaryHome(try command.id("home")).json
        default: return nil
        }
    }

    private func rooms(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "addRoom":
            return try await manager.addRoom(named: try command.text("name"), to: try command.id("home")).json
        case "renameRoom":
            return try await manager.renameRoom(try command.id("room"), to: try command.text("name")).json
        case "removeRoom":
            return try await manager.removeRoom(try command.id("room"), from: try command.id("home")).json
        case "addZone":
            return try await manager.addZone(named: try command.text("name"), to: try command.id("home")).json
        case "renameZone":
            return try await manager.renameZone(try command.id("zone"), to: try command.text("name")).json
        case "removeZone":
            try await manager.removeZone(try command.id("zone"), from: try command.id("home"))
            return true
        case "addRoomToZone":
            return try await manager.addRoom(try command.id("room"), toZone: try command.id("zone")).json
        case "removeRoomFromZone":
            return try await manager.removeRoom(try command.id("room"), fromZone: try command.id("zone")).json
        default: return nil
        }
    }

    // MARK: Accessories

    private func accessories(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "assignAccessory":
            return try await manager.assignAccessory(
                try command.id("accessory"), to: try command.id("room"), in: try command.id("home")
            ).json
        case "renameAccessory":
            return try await manager.renameAccessory(try command.id("accessory"), to: try command.text("name")).json
        case "removeAccessory":
            return try await manager.removeAccessory(try command.id("accessory"), from: try command.id("home")).json
        case "identify":
            try await manager.identify(try command.id("accessory"))
            return true
        case "unblockAccessory":
            return try await manager.unblockAccessory(try command.id("accessory"), in: try command.id("home")).json
        case "renameService":
            return .string(
                try await manager.renameService(try command.id("service"), to: try command.text("name")).name)
        case "setAssociatedServiceType":
            let type = command.json["type"]?.string.flatMap { HAPType($0) }.map { ServiceType($0) }
            let service = try await manager.setAssociatedServiceType(type, for: try command.id("service"))
            return service.associatedServiceType.map { .string($0.description) } ?? .null
        case "setFavorite":
            return .bool(
                try await manager.setFavorite(try command.flag("isFavorite"), for: try command.id("service"))
                    .isFavorite)
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
                try command.value("value"), to: try command.id("characteristic"),
                authorizationData: command.json["authorizationData"]?.string.map { Array($0.utf8) }
            )?.json ?? .null
        case "writeValues":
            var values: [HomeModel.Characteristic.ID: CharacteristicValue] = [:]
            for member in command.json["values"]?.object?.members ?? [] {
                guard let id = HomeModel.Characteristic.ID(member.name) else { throw Command.missing("values") }
                values[id] = try CharacteristicValue(json: member.value)
            }
            return Self.json(try await manager.writeValues(values)) { $0.json }
        case "setNotification":
            let isEnabled = try command.flag("isEnabled")
            if command.json["characteristics"] == nil {
                try await manager.setNotification(isEnabled, for: try command.id("characteristic"))
                return true
            }
            return Self.json(
                try await manager.setNotification(isEnabled, for: try command.ids("characteristics"))
            ) { true }
        case "values":
            // So many values, which are told while this call goes on, behind the one that holds.
            var received: [JSONValue] = []
            for try await value in manager.values(of: try command.id("characteristic")) where value.origin != .present {
                received.append(value.value.json)
                if received.count >= command.json["count"]?.int ?? 1 { break }
            }
            return .array(received)
        case "follow":
            let ids: [HomeModel.Characteristic.ID] = try command.ids("characteristics")
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

    /// Keeps the last element of a characteristic's stream, for as long as the app runs.
    private func follow(_ id: HomeModel.Characteristic.ID) async {
        do {
            for try await value in manager.values(of: id) { lastValues[id] = value.value.json }
        } catch {
            lastValues[id] = .string("\(error)")
        }
    }

    private static func json<Value>(
        _ results: [HomeModel.Characteristic.ID: Result<Value, HomeError>], _ read: (Value) -> JSONValue
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

    // MARK: Scenes

    private func scenes(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "addActionSet":
            let kind = try command.json["kind"].map { kind in
                guard let kind = kind.string.flatMap(ActionSet.Kind.init) else { throw Command.missing("kind") }
                return kind
            }
            return try await manager.addActionSet(
                named: try command.text("name"), to: try command.id("home"), kind: kind ?? .userDefined
            ).json
        case "renameActionSet":
            return try await manager.renameActionSet(try command.id("actionSet"), to: try command.text("name")).json
        case "removeActionSet":
            try await manager.removeActionSet(try command.id("actionSet"))
            return true
        case "setActions":
            let actions = try [CharacteristicWriteAction](json: command.json["actions"] ?? .null)
            return try await manager.setActions(actions, of: try command.id("actionSet")).json
        case "runActionSet":
            let run = try await manager.runActionSet(try command.id("actionSet"))
            return ["results": Self.json(run.results) { $0.json }, "error": run.error?.json ?? .null]
        default: return nil
        }
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
        case "discovered": return await browser.discoveredAccessories.json
        case "addAccessory":
            guard let code = command.json["code"]?.string.flatMap({ SetupCode(typed: $0) }),
                let device = command.json["device"]?.string.flatMap({ DeviceID($0) }), let accessory = found[device]
            else { throw Command.missing("code and device, found by a search") }
            return try await manager.addAccessory(
                accessory, code: code, to: try command.id("home"), name: command.json["name"]?.string
            ).json
        case "addAndSetup":
            let token = command.json["token"]?.string.flatMap { AccessoryOwnershipToken(data: Array($0.utf8)) }
            guard let payload = try payload(of: command, token) else { throw Command.missing("url, or request") }
            return try await manager.addAndSetupAccessories(
                with: payload, to: try command.id("home"), name: command.json["name"]?.string
            ).json
        case "decline":
            try await manager.decline(try AddAccessoryRequest(json: command.json["request"] ?? .null))
            return true
        default: return nil
        }
    }

    private func payload(
        of command: Command, _ token: AccessoryOwnershipToken?
    ) throws -> AccessorySetupPayload? {
        let url = command.json["url"]?.string
        if let json = command.json["request"] {
            let request = try AddAccessoryRequest(json: json)
            guard let token else { return nil }
            if let url { return request.makePayload(url: url, ownershipToken: token) }
            return request.makePayload(ownershipToken: token)
        }
        guard let url else { return nil }
        if let token { return AccessorySetupPayload(url: url, ownershipToken: token) }
        return AccessorySetupPayload(url: url)
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

    // MARK: Permission

    private func privacy(_ command: Command) async throws -> JSONValue? {
        switch command.name {
        case "permissions": return try await manager.permissions().json
        case "setPermission":
            guard let decision = command.json["decision"]?.string.flatMap(PermissionDecision.init) else {
                throw Command.missing("decision")
            }
            try await manager.setPermission(decision, for: try AppIdentity(json: command.json["app"] ?? .null))
            return true
        case "answerConsent":
            try await manager.answer(
                try ConsentQuestion(json: command.json["question"] ?? .null),
                isAllowed: command.json["isAllowed"] == true)
            return true
        case "setVendor":
            guard let decision = command.json["decision"]?.string.flatMap(PermissionDecision.init),
                let vendor = command.json["vendor"]?.string
            else { throw Command.missing("decision or vendor") }
            try await manager.setVendor(
                decision, of: vendor, for: try AppIdentity(json: command.json["app"] ?? .null))
            return true
        case "answerQuestions":
            // Goes on until it is cancelled.
            try await manager.withQuestions { questions in
                for await question in questions {
                    switch question {
                    case .permission(let permission):
                        HomeProbe.say(["event": "permissionAsked", "permission": permission.json])
                    case .consent(let question): HomeProbe.say(["event": "consentAsked", "question": question.json])
                    }
                }
            }
            return true
        default: return nil
        }
    }
}

/// One line of what the probe is told.
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

extension AccessoryRemoval {
    var json: JSONValue {
        [
            "removed": .array(removed.map { .string($0.description) }),
            "stale": .array(stale.map { .string($0.description) }),
        ]
    }
}
