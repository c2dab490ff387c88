internal import HAPModel

/// How a controller names itself: 1 to 36 bytes, compared and given back byte for byte (HAP 6.5).
package struct ControllerID: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Takes 1 to 36 bytes; anything else is `nil`.
    package init?(_ bytes: [UInt8]) {
        guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

extension ControllerID: CustomStringConvertible {
    /// The identifier as text for people: as it is if it is plain ASCII, else in hex.
    package var description: String {
        if bytes.allSatisfy({ (0x21...0x7E).contains($0) }) { return String(decoding: bytes, as: UTF8.self) }
        return "0x" + Hex.encode(bytes).lowercased()
    }
}

/// A controller that may open sessions.
package struct Pairing: Equatable, Sendable {
    package var controller: ControllerID
    /// The controller's LTPK, 32 bytes.
    package var publicKey: [UInt8]
    /// Whether it may add and remove pairings.
    package var isAdmin: Bool

    package init(controller: ControllerID, publicKey: [UInt8], isAdmin: Bool) {
        self.controller = controller
        self.publicKey = publicKey
        self.isAdmin = isAdmin
    }
}
