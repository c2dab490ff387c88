/// What a controller needs to pair, as `setup` shows it.
package struct SetupListing: BridgeMessage {
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
}

/// One controller the bridge is paired with, as `pairings` lists it.
package struct PairingListing: BridgeMessage {
    /// The controller's own identifier.
    package var id: String
    package var admin: Bool
    package var connected: Bool

    package init(id: String, admin: Bool, connected: Bool) {
        self.id = id
        self.admin = admin
        self.connected = connected
    }
}
