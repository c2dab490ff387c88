import BoundedJSON

/// What can be asked at the operator's socket.
enum BridgeRequest: MethodCall, Sendable, Equatable {
    /// Answered with ``BridgeStatus``.
    case status
    /// What ``status`` leaves out and `doctor` needs; answered with ``BridgeDiagnostics``.
    case diagnostics
    /// Answered with ``SetupListing``.
    case setup(force: Bool?)
    /// Answered with ``LightListing``s.
    case lights
    case setLight(key: String, change: LightChange)
    case forgetLight(key: String)
    /// Answered with ``FoundLights``, some seconds later.
    case discoverLights
    /// Answered with ``ForgottenLight``s.
    case purgeLights
    case simulate(key: String, change: LightChange)
    /// Answered with ``PairingListing``s.
    case pairings
    case removePairing(id: String)
    case removeAllPairings
    case unlockPairing
    /// Answered with ``ReloadListing``.
    case reload
    case reset
    /// The bridge makes a ``FileRequest`` for each part before it answers with ``BackupListing``.
    case backup
    /// The bridge makes a ``FileRequest`` for each part before it answers with ``RestoreListing``.
    case restore(size: Int)
    /// Is answered when the bridge goes down; until then it sends ``BridgeNotification``s.
    case watch

    package enum CodingKeys: String, MethodKey {
        case status
        case diagnostics = "particulars"
        case setup, lights
        case setLight = "lights.set"
        case discoverLights = "lights.discover"
        case forgetLight = "lights.forget"
        case purgeLights = "lights.purge"
        case simulate, pairings
        case removePairing = "pairings.remove"
        case removeAllPairings = "pairings.removeAll"
        case unlockPairing = "pairings.unlock"
        case reload, reset, backup, restore, watch
    }

    /// Reads a request; `nil` if there is no such method.
    ///
    /// - Throws: ``BridgeControlError`` with code 76 if a parameter is missing or of the wrong type.
    package init?(method: String, params: JSONValue) throws(BridgeControlError) {
        do {
            guard let request = try Self.decoded(method: method, params: params) else { return nil }
            self = request
        } catch { throw BridgeControlError(decoding: error) }
    }
}

/// What the bridge says to a command that watches.
enum BridgeNotification: MethodCall, Sendable, Equatable {
    /// Nothing that happens from now on will be missed; sent once.
    case watching
    case changed(LightEvent)

    package enum CodingKeys: String, MethodKey {
        case watching = "watch.started"
        case changed = "watch.changed"
    }

    /// Reads a notification; `nil` for what a newer bridge may say.
    ///
    /// - Throws: ``BridgeControlError`` with code 76 if something is missing or of the wrong type.
    package init?(method: String, params: JSONValue) throws(BridgeControlError) {
        do {
            guard let notification = try Self.decoded(method: method, params: params) else { return nil }
            self = notification
        } catch { throw BridgeControlError(decoding: error) }
    }
}
