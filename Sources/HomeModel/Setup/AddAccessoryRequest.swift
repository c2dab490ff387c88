public import HAPModel

/// A request to a vendor's app for the proof of ownership that an accessory requires.
public struct AddAccessoryRequest: Codable, Sendable, Hashable, Identifiable {
    /// The type of a request's ID.
    ///
    /// A request can be answered only once.
    public typealias ID = Identifier<AddAccessoryRequest>

    /// The request's ID.
    public let id: ID
    /// The home for the accessory.
    public let home: Home.ID
    /// The name that the accessory advertises.
    public let accessoryName: String
    /// The accessory's category.
    public let category: AccessoryCategory
    /// A Boolean value that indicates whether the answer must include the content of the QR code, which is still
    /// missing.
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

    /// Returns the answer if the setup code is already known; `nil` if ``requiresSetupPayloadURL`` is `true`.
    public func makePayload(ownershipToken: AccessoryOwnershipToken) -> AccessorySetupPayload? {
        guard !requiresSetupPayloadURL else { return nil }
        return AccessorySetupPayload(setup: nil, token: ownershipToken, request: id)
    }

    /// Returns the answer with the content of the accessory's QR code, an `X-HM://` URI; `nil` if the URI is invalid.
    public func makePayload(url: String, ownershipToken: AccessoryOwnershipToken) -> AccessorySetupPayload? {
        AccessorySetupPayload(url: url, token: ownershipToken, request: id)
    }
}
