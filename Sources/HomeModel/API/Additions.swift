import BoundedJSON
public import HAPModel

/// A discovered device that can be added to a home.
public struct DiscoveredAccessory: Codable, Sendable, Hashable, Identifiable {
    /// The device ID of the accessory server.
    public let id: DeviceID
    /// The name that the device advertises.
    public let name: String
    /// The category that the device advertises.
    public let category: AccessoryCategory
    /// The manufacturer's model name.
    public let model: String
    /// The setup hash, four bytes in base64, that identifies the device a scanned code belongs to; `nil` if the device
    /// doesn't advertise it.
    public let setupHash: String?
    /// The vendor whose proof of ownership the device requires; `nil` if it requires none.
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

/// An addition that failed after its accessory was handed over to the vendor's app.
public struct AccessoryAdditionFailure: Codable, Sendable, Hashable {
    /// The home for the accessory.
    public let home: Home.ID
    /// The device ID of the accessory server.
    public let accessory: DeviceID
    /// The name that the accessory advertises.
    public let name: String
    /// The reason: `addAccessoryFailed` if the vendor's app declined, or if no vendor's app answered in time.
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

/// A request to pair and add a device.
///
/// It contains secrets, so it's sent only to the daemon.
package struct AdditionRequest: HomeMessage {
    /// The home to add the device to; `nil` for the primary home.
    package var home: Home.ID?
    /// The device to pair; `nil` to find it by the setup ID in the code.
    package var device: DeviceID?
    package var code: SetupCode?
    package var payload: AccessorySetupPayload?
    /// The requested name; `nil` for the device's name, made valid if necessary.
    package var name: String?
    /// The pairing of another controller with the device, which the daemon uses instead of a setup code.
    package var pairing: ControllerPairing?

    package init(
        home: Home.ID?, device: DeviceID? = nil, code: SetupCode? = nil, payload: AccessorySetupPayload? = nil,
        name: String? = nil, pairing: ControllerPairing? = nil
    ) {
        self.home = home
        self.device = device
        self.code = code
        self.payload = payload
        self.name = name
        self.pairing = pairing
    }

    private enum CodingKeys: String, CodingKey {
        case home, device, code, url, ownershipToken, request, name, pairing
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
            name: try values.decodeIfPresent(String.self, forKey: .name),
            pairing: try values.decodeIfPresent(ControllerPairing.self, forKey: .pairing))
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
        try values.encodeIfPresent(pairing, forKey: .pairing)
    }
}

/// The pairing of another controller with an accessory.
///
/// It contains a secret, so it's sent only to the daemon.
package struct ControllerPairing: Codable, Sendable, Hashable {
    private let key: HexBytes
    private let secret: HexBytes
    /// The controller's identifier.
    package let controller: String

    /// The accessory's long-term public key.
    package var accessoryKey: [UInt8] { key.bytes }
    /// The seed of the controller's long-term key.
    package var seed: [UInt8] { secret.bytes }

    package init(accessoryKey: [UInt8], controller: String, seed: [UInt8]) {
        key = HexBytes(accessoryKey)
        secret = HexBytes(seed)
        self.controller = controller
    }

    private enum CodingKeys: String, CodingKey {
        case key = "accessoryKey"
        case secret = "seed"
        case controller
    }
}

// Prevent printing the seed by accident.
extension ControllerPairing: CustomStringConvertible, CustomReflectable {
    package var description: String { "(pairing of \(controller))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A request to pair a device that replaces an accessory in a home.
///
/// It contains secrets, so it's sent only to the daemon.
package struct RepairRequest: HomeMessage {
    /// The accessory or bridge to replace.
    package var accessory: Accessory.ID
    /// The replacement device; `nil` for the device that the code belongs to, or for the same device after a reset.
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
        // The device and its code use the same keys as in `AdditionRequest`.
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

/// The reply to ``AdditionRequest``.
package enum AdditionReply: HomeMessage {
    case added(HomeCommit)
    /// The vendor's app with the given name completes the addition. The result arrives as an event.
    case handedOver(app: String)
    /// The reply to an app that isn't authorized to access the home. The app learns only this result.
    case setUp(AccessorySetupResult)

    enum CodingKeys: String, CodingKey {
        /// A commit is encoded without a wrapper.
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
