package import BoundedJSON
public import HAPModel

/// A device that could be added to a home.
public struct DiscoveredAccessory: Sendable, Hashable, Identifiable {
    /// The accessory server's own id.
    public let id: DeviceID
    /// What it calls itself.
    public let name: String
    /// What it is.
    public let category: AccessoryCategory
    /// The maker's name for its kind.
    public let model: String
    /// What tells which device a scanned code is for: four bytes in base64, if the device says it.
    public let setupHash: String?
    /// Whose proof of ownership it wants, if it wants one.
    public let vendor: String?

    package init(
        id: DeviceID, name: String, category: AccessoryCategory, model: String, setupHash: String? = nil,
        vendor: String? = nil
    ) {
        self.id = id
        self.name = name
        self.category = category
        self.model = model
        self.setupHash = setupHash
        self.vendor = vendor
    }
}

extension DiscoveredAccessory: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        let category = try json.value("category") { $0.int.flatMap(UInt16.init(exactly:)) }
        self.init(
            id: try json.value("deviceId") { $0.string.flatMap { DeviceID($0) } },
            name: try json.value("name", \.string), category: AccessoryCategory(rawValue: category),
            model: try json.value("model", \.string), setupHash: try json.optional("setupHash", \.string),
            vendor: try json.optional("vendor", \.string))
    }

    package var json: JSONValue {
        .object(
            JSONObject(present: [
                "deviceId": .string(id.description), "name": .string(name),
                "category": .integer(Int64(category.rawValue)), "model": .string(model),
                "setupHash": setupHash.map(JSONValue.string), "vendor": vendor.map(JSONValue.string),
            ]))
    }
}

extension AddAccessoryRequest: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        let category = try json.value("category") { $0.int.flatMap(UInt16.init(exactly:)) }
        self.init(
            id: try json.id("request"), home: try json.id("home"), accessoryName: try json.value("name", \.string),
            category: AccessoryCategory(rawValue: category),
            requiresSetupPayloadURL: try json.value("requiresSetupPayloadURL", \.bool))
    }

    package var json: JSONValue {
        [
            "request": id.json, "home": home.json, "name": .string(accessoryName),
            "category": .integer(Int64(category.rawValue)), "requiresSetupPayloadURL": .bool(requiresSetupPayloadURL),
        ]
    }
}

/// Asks for a device to be paired and added.
///
/// It holds secrets: it goes to the daemon and nowhere else.
package struct AdditionRequest: HomeMessage {
    /// Where it is added; the primary home, if nobody says.
    package var home: Home.ID?
    /// Which device, if it was chosen; else the code's setup id tells.
    package var device: DeviceID?
    package var code: SetupCode?
    package var payload: AccessorySetupPayload?
    /// What it is to be called; its own name, repaired, if nobody says.
    package var name: String?

    package init(
        home: Home.ID?, device: DeviceID? = nil, code: SetupCode? = nil, payload: AccessorySetupPayload? = nil,
        name: String? = nil
    ) {
        self.home = home
        self.device = device
        self.code = code
        self.payload = payload
        self.name = name
    }

    package init(json: JSONValue) throws(HomeError) {
        let token: AccessoryOwnershipToken? = try json.optional("ownershipToken") {
            $0.string.flatMap(Hex.decode).flatMap { AccessoryOwnershipToken(data: $0) }
        }
        let request: AddAccessoryRequest.ID? = try json.optional("request") { $0.identifier() }
        var payload: AccessorySetupPayload? = try json.optional("url") {
            $0.string.flatMap { AccessorySetupPayload(url: $0, token: token, request: request) }
        }
        if payload == nil, token != nil || request != nil {
            payload = AccessorySetupPayload(setup: nil, token: token, request: request)
        }
        self.init(
            home: try json.optional("home") { $0.identifier() },
            device: try json.optional("device") { $0.string.flatMap { DeviceID($0) } },
            code: try json.optional("code") { $0.string.flatMap { SetupCode(typed: $0) } }, payload: payload,
            name: try json.optional("name", \.string))
    }

    package var json: JSONValue {
        .object(
            JSONObject(present: [
                "home": home?.json, "device": device.map { .string($0.description) },
                "code": code.map { .string($0.text) }, "url": payload?.setup.map { .string($0.uri) },
                "ownershipToken": payload?.ownershipToken.map { .string(Hex.encode($0.bytes)) },
                "request": payload?.request?.json, "name": name.map(JSONValue.string),
            ]))
    }
}

/// What came of ``AdditionRequest``.
package enum AdditionReply: HomeMessage {
    case added(HomeCommit)
    /// The maker's app of this name goes on; the accessory will come by an event, or not.
    case handedOver(app: String)
    /// It was added by an app that may not see the home: of which it learns no more than this.
    case setUp(AccessorySetupResult)

    package init(json: JSONValue) throws(HomeError) {
        if let app = try json.optional("handedOver", \.string) {
            self = .handedOver(app: app)
        } else if let result = json["setUp"] {
            self = .setUp(
                AccessorySetupResult(
                    home: try result.id("home"),
                    accessories: try result.value("accessories") { $0.elements { $0.identifier() } }))
        } else {
            self = .added(try HomeCommit(json: json))
        }
    }

    package var json: JSONValue {
        switch self {
        case .added(let commit): commit.json
        case .handedOver(let app): ["handedOver": .string(app)]
        case .setUp(let result):
            ["setUp": ["home": result.home.json, "accessories": .array(result.accessories.map(\.json))]]
        }
    }
}
