package import BoundedJSON

/// What a controller needs to pair, as `setup` shows it.
package struct SetupListing: JSONConvertible {
    /// `XXX-XX-XXX`.
    package var code: String
    /// `X-HM://...`, the content of the QR code.
    package var payload: String
    package var paired: Bool

    package init(code: String, payload: String, paired: Bool) {
        self.code = code
        self.payload = payload
        self.paired = paired
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            code: try json.value("code", \.string), payload: try json.value("payload", \.string),
            paired: try json.value("paired", \.bool))
    }

    package var json: JSONValue { ["code": .string(code), "payload": .string(payload), "paired": .bool(paired)] }
}

/// One controller the bridge is paired with, as `pairings` lists it.
package struct PairingListing: JSONConvertible {
    /// The controller's own identifier.
    package var id: String
    package var admin: Bool
    package var connected: Bool

    package init(id: String, admin: Bool, connected: Bool) {
        self.id = id
        self.admin = admin
        self.connected = connected
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            id: try json.value("id", \.string), admin: try json.value("admin", \.bool),
            connected: try json.value("connected", \.bool))
    }

    package var json: JSONValue { ["id": .string(id), "admin": .bool(admin), "connected": .bool(connected)] }
}
