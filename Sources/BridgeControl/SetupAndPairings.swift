/// What a controller needs to pair, as `setup` shows it.
///
/// Code, payload and `paired` are those of the first bridge that is listed.
package struct SetupListing: BridgeMessage {
    /// One of the bridges that the daemon shows its lights on.
    package struct Bridge: BridgeMessage {
        /// From 1.
        package var number: Int
        package var name: String
        package var code: String
        package var payload: String
        package var paired: Bool

        package init(number: Int, name: String, code: String, payload: String, paired: Bool) {
            self.number = number
            self.name = name
            self.code = code
            self.payload = payload
            self.paired = paired
        }
    }

    /// `XXX-XX-XXX`.
    package var code: String
    /// `X-HM://...`, the content of the QR code.
    package var payload: String
    package var paired: Bool
    /// The bridges whose codes may be shown; `nil` if the daemon is older than further bridges.
    package var bridges: [Bridge]?

    package init(code: String, payload: String, paired: Bool, bridges: [Bridge]? = nil) {
        self.code = code
        self.payload = payload
        self.paired = paired
        self.bridges = bridges
    }
}

/// One controller the bridge is paired with, as `pairings` lists it.
package struct PairingListing: BridgeMessage {
    /// The controller's own identifier.
    package var id: String
    package var admin: Bool
    package var connected: Bool
    /// The bridge that it is paired with, from 1; `nil` if the daemon is older than further bridges.
    package var bridge: Int?

    package init(id: String, admin: Bool, connected: Bool, bridge: Int? = nil) {
        self.bridge = bridge
        self.id = id
        self.admin = admin
        self.connected = connected
    }
}
