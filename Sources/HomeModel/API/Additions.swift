import BoundedJSON
public import HAPModel

/// A device that could be added to a home.
public struct DiscoveredAccessory: Codable, Sendable, Hashable, Identifiable {
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
    enum CodingKeys: String, CodingKey {
        case id = "deviceId"
        case name, category, model, setupHash, vendor
    }
}

/// An accessory that was handed over to its maker's app, and will not come.
public struct AccessoryAdditionFailure: Codable, Sendable, Hashable {
    /// Where it was to be added.
    public let home: Home.ID
    /// Which accessory server.
    public let accessory: DeviceID
    /// What it calls itself.
    public let name: String
    /// Why it does not come: `addAccessoryFailed` if the maker's app declined, or none has answered in time.
    public let error: HomeError

    package init(home: Home.ID, accessory: DeviceID, name: String, error: HomeError) {
        self.home = home
        self.accessory = accessory
        self.name = name
        self.error = error
    }
}

extension AccessoryAdditionFailure: HomeMessage {
    enum CodingKeys: String, CodingKey {
        case home
        case accessory = "deviceId"
        case name, error
    }
}

extension AddAccessoryRequest: HomeMessage {
    enum CodingKeys: String, CodingKey {
        case id = "request"
        case home
        case accessoryName = "name"
        case category, requiresSetupPayloadURL
    }
}

/// Asks for a device to be paired and added.
///
/// It holds secrets: it goes to the daemon and nowhere else.
package struct AdditionRequest: HomeMessage {
    /// Where it is added; the primary home, if none is given.
    package var home: Home.ID?
    /// Which device, if it was chosen; else the code's setup id tells.
    package var device: DeviceID?
    package var code: SetupCode?
    package var payload: AccessorySetupPayload?
    /// What it is to be called; its own name, repaired, if none is given.
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

    private enum CodingKeys: String, CodingKey {
        case home, device, code, url, ownershipToken, request, name
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Text, Value>(_ type: Text.Type, _ key: CodingKeys, _ read: (Text) -> Value?) throws -> Value?
        where Text: Decodable {
            guard let text = try values.decodeIfPresent(type, forKey: key) else { return nil }
            guard let value = read(text) else { throw JSONDecodingError(.wrongType, at: key.stringValue) }
            return value
        }
        let token = try value(HexBytes.self, .ownershipToken) { AccessoryOwnershipToken(data: $0.bytes) }
        let request = try values.decodeIfPresent(AddAccessoryRequest.ID.self, forKey: .request)
        var payload = try value(String.self, .url) { AccessorySetupPayload(url: $0, token: token, request: request) }
        if payload == nil, token != nil || request != nil {
            payload = AccessorySetupPayload(setup: nil, token: token, request: request)
        }
        self.init(
            home: try values.decodeIfPresent(Home.ID.self, forKey: .home),
            device: try values.decodeIfPresent(DeviceID.self, forKey: .device),
            code: try value(String.self, .code) { SetupCode(typed: $0) }, payload: payload,
            name: try values.decodeIfPresent(String.self, forKey: .name))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(home, forKey: .home)
        try values.encodeIfPresent(device, forKey: .device)
        try values.encodeIfPresent(code?.text, forKey: .code)
        try values.encodeIfPresent(payload?.setup?.uri, forKey: .url)
        try values.encodeIfPresent(payload?.ownershipToken.map { HexBytes($0.bytes) }, forKey: .ownershipToken)
        try values.encodeIfPresent(payload?.request, forKey: .request)
        try values.encodeIfPresent(name, forKey: .name)
    }
}

/// Asks for a device to be paired in the place of an accessory of a home.
///
/// It holds secrets: it goes to the daemon and nowhere else.
package struct RepairRequest: HomeMessage {
    /// The accessory, or the bridge.
    package var accessory: Accessory.ID
    /// The device that takes its place; `nil` for the one that the code is for, or the same device after a reset.
    package var device: DeviceID?
    package var code: SetupCode?
    /// The content of the QR code.
    package var payload: AccessorySetupPayload?

    package init(
        accessory: Accessory.ID, device: DeviceID? = nil, code: SetupCode? = nil,
        payload: AccessorySetupPayload? = nil
    ) {
        self.accessory = accessory
        self.device = device
        self.code = code
        self.payload = payload
    }

    private enum CodingKeys: String, CodingKey { case accessory }

    package init(from decoder: any Decoder) throws {
        // How a device is paired travels as in an addition.
        let addition = try AdditionRequest(from: decoder)
        self.init(
            accessory: try decoder.container(keyedBy: CodingKeys.self).decode(Accessory.ID.self, forKey: .accessory),
            device: addition.device, code: addition.code, payload: addition.payload)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessory, forKey: .accessory)
        try AdditionRequest(home: nil, device: device, code: code, payload: payload).encode(to: encoder)
    }
}

/// What came of ``AdditionRequest``.
package enum AdditionReply: HomeMessage {
    case added(HomeCommit)
    /// The maker's app of this name goes on; the accessory will come by an event, or not.
    case handedOver(app: String)
    /// It was added by an app that may not see the home: of which it learns no more than this.
    case setUp(AccessorySetupResult)

    enum CodingKeys: String, CodingKey {
        /// A commit is the answer itself.
        case added = "_0"
        case handedOver, setUp
    }

    enum HandedOverCodingKeys: String, CodingKey { case app = "_0" }
}

extension AccessorySetupResult {
    enum CodingKeys: CodingKey {
        case home, accessories
    }
}
