public import HAPModel

/// What a maker's app is asked: to fetch the proof without which an accessory cannot be added.
public struct AddAccessoryRequest: Codable, Sendable, Hashable, Identifiable {
    /// A request's identity; it can be answered once.
    public typealias ID = Identifier<AddAccessoryRequest>

    /// Its identity.
    public let id: ID
    /// The home to which the accessory is to be added.
    public let home: Home.ID
    /// What the accessory calls itself.
    public let accessoryName: String
    /// What the accessory is.
    public let category: AccessoryCategory
    /// Whether the answer must hold the content of the accessory's QR code, because it is still missing.
    public let requiresSetupPayloadURL: Bool

    package init(
        id: ID, home: Home.ID, accessoryName: String, category: AccessoryCategory, requiresSetupPayloadURL: Bool
    ) {
        self.id = id
        self.home = home
        self.accessoryName = accessoryName
        self.category = category
        self.requiresSetupPayloadURL = requiresSetupPayloadURL
    }

    /// Returns the answer if the setup code is known already; `nil` if ``requiresSetupPayloadURL``.
    public func makePayload(ownershipToken: AccessoryOwnershipToken) -> AccessorySetupPayload? {
        guard !requiresSetupPayloadURL else { return nil }
        return AccessorySetupPayload(setup: nil, token: ownershipToken, request: id)
    }

    /// Returns the answer with the content of the accessory's QR code, an `X-HM://` URI; `nil` if the URI is none.
    public func makePayload(url: String, ownershipToken: AccessoryOwnershipToken) -> AccessorySetupPayload? {
        AccessorySetupPayload(url: url, token: ownershipToken, request: id)
    }
}
