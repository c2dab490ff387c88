/// The data that a controller needs to pair, as `setup` shows it.
///
/// `code`, `payload` and `paired` describe the first listed bridge.
package struct SetupListing: BridgeMessage {
    /// A bridge of the daemon.
    package struct Bridge: BridgeMessage {
        /// The number of the bridge, from 1.
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

    /// The setup code, as `XXX-XX-XXX`.
    package var code: String
    /// The content of the QR code, as `X-HM://...`.
    package var payload: String
    package var paired: Bool
    /// The bridges whose codes may be shown, or `nil` from a daemon that supports only one bridge.
    package var bridges: [Bridge]?

    package init(code: String, payload: String, paired: Bool, bridges: [Bridge]? = nil) {
        self.code = code
        self.payload = payload
        self.paired = paired
        self.bridges = bridges
    }
}

/// A paired controller, as `pairings` lists it.
package struct PairingListing: BridgeMessage {
    /// The controller's identifier.
    package var id: String
    package var admin: Bool
    package var connected: Bool
    /// The number of the bridge that the controller is paired with, from 1, or `nil` from a daemon that supports only
    /// one bridge.
    package var bridge: Int?
    /// The time of the oldest open connection in ISO 8601, or `nil` if the controller isn't connected.
    package var connectedSince: String?

    package init(id: String, admin: Bool, connected: Bool, bridge: Int? = nil, connectedSince: String? = nil) {
        self.connectedSince = connectedSince
        self.bridge = bridge
        self.id = id
        self.admin = admin
        self.connected = connected
    }
}
