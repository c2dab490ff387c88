public import HAPModel

/// What is needed to add an accessory: the content of its QR code, the maker's token, or both.
public struct AccessorySetupPayload: Sendable, Hashable {
    /// What the QR code says; `nil` if the code was given to the daemon before.
    package let setup: SetupPayload?
    /// The maker's proof, if the accessory wants one.
    package let ownershipToken: AccessoryOwnershipToken?
    /// The request that is answered with this, if there was one.
    package let request: AddAccessoryRequest.ID?

    /// Reads the content of a QR code, an `X-HM://` URI in any case after the scheme; `nil` for anything else.
    public init?(url: String) { self.init(url: url, token: nil, request: nil) }

    /// Reads the content of a QR code as ``init(url:)`` does, and adds the maker's token.
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

    /// What the accessory is, if the code says so.
    public var category: AccessoryCategory? { setup?.category }

    /// Whether people must still be asked for the setup code.
    public var needsSetupCode: Bool { setup.map { $0.code == nil } ?? (request == nil) }

    /// Checks that the accessory can be added over the network.
    ///
    /// - Throws: 93 if it speaks Bluetooth only, 11 if it is paired already.
    package func validate() throws(HomeError) {
        guard let setup else { return }
        guard setup.supportsIP else {
            throw HomeError(
                .incompatibleAccessory, detail: "the accessory speaks Bluetooth only; it must be on the network")
        }
        guard !setup.isPaired else {
            throw HomeError(
                .objectAssociatedToAnotherHome,
                detail: "the accessory is paired already; remove it there, or reset it")
        }
    }
}

// It holds a setup code, and perhaps a token: it does not print by accident.
extension AccessorySetupPayload: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "(setup payload)" }
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SetupCode {
    /// Reads a code as people type it: eight digits, with or without dashes and spaces.
    ///
    /// Anything else, and the codes that are refused everywhere, give `nil`.
    public init?(typed text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard text.utf8.count <= 64, digits.count == 8,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt32(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(number: number)
    }
}
