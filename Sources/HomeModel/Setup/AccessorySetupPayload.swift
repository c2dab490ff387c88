public import HAPModel

/// The data for adding an accessory: the content of its QR code, the vendor's token, or both.
public struct AccessorySetupPayload: Sendable, Hashable {
    /// The content of the QR code; `nil` if the daemon already has it.
    package let setup: SetupPayload?
    /// The vendor's proof, if the accessory requires one.
    package let ownershipToken: AccessoryOwnershipToken?
    /// The request that this payload answers, if there was one.
    package let request: AddAccessoryRequest.ID?

    /// Parses the content of a QR code, an `X-HM://` URI whose letters after the scheme may be uppercase or lowercase;
    /// returns `nil` for anything else.
    public init?(url: String) { self.init(url: url, token: nil, request: nil) }

    /// Parses the content of a QR code as ``init(url:)`` does, and adds the vendor's token.
    public init?(url: String, ownershipToken: AccessoryOwnershipToken) {
        self.init(url: url, token: ownershipToken, request: nil)
    }

    init?(url: String, token: AccessoryOwnershipToken?, request: AddAccessoryRequest.ID?) {
        let scheme = "X-HM://"
        guard url.hasPrefix(scheme), url.utf8.count == 20,
            let setup = try? SetupPayload(uri: scheme + url.dropFirst(scheme.count).uppercased()),
            setup.category.rawValue > 0
        else { return nil }
        self.init(setup: setup, token: token, request: request)
    }

    package init(setup: SetupPayload?, token: AccessoryOwnershipToken?, request: AddAccessoryRequest.ID?) {
        self.setup = setup
        ownershipToken = token
        self.request = request
    }

    /// The accessory's category, if the code contains it.
    public var category: AccessoryCategory? { setup?.category }

    /// A Boolean value that indicates whether a person must still enter the setup code.
    public var needsSetupCode: Bool { setup.map { $0.code == nil } ?? (request == nil) }

    /// Checks that the accessory can be added over the network.
    ///
    /// - Throws: `HomeError` with code 93 if it supports only Bluetooth, 11 if it's already paired.
    package func validate() throws(HomeError) {
        guard let setup else { return }
        guard setup.supportsIP else {
            throw HomeError(
                .incompatibleAccessory,
                detail: "the accessory supports only Bluetooth; only accessories on the network can be added")
        }
        guard !setup.isPaired else {
            throw HomeError(
                .objectAssociatedToAnotherHome,
                detail: "the accessory is already paired; remove it from its other home, or reset it")
        }
    }
}

// A payload contains a setup code, and possibly a token, so it must not be printed by accident.
extension AccessorySetupPayload: CustomStringConvertible, CustomReflectable {
    /// A placeholder that doesn't contain the setup code.
    public var description: String { "(setup payload)" }
    /// An empty mirror, so that dumps don't contain the setup code.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SetupCode {
    /// Parses a typed code: eight digits, with or without dashes and spaces.
    ///
    /// Returns `nil` for anything else, and for codes that HAP forbids.
    public init?(typed text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard text.utf8.count <= 64, digits.count == 8,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt32(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(number: number)
    }
}
