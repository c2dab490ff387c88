internal import HAPModel

/// A controller's identifier: 1 to 36 bytes, which are compared and returned byte for byte (HAP 6.5).
package struct ControllerID: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Creates an identifier from 1 to 36 bytes, or returns `nil` for any other number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

extension ControllerID: CustomStringConvertible {
    /// The identifier in human-readable form: unchanged if it is printable ASCII without spaces, otherwise in hex.
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
    /// A Boolean value that indicates whether the controller may add and remove pairings.
    package var isAdmin: Bool

    package init(controller: ControllerID, publicKey: [UInt8], isAdmin: Bool) {
        self.controller = controller
        self.publicKey = publicKey
        self.isAdmin = isAdmin
    }
}
