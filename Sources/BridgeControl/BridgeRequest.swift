import BoundedJSON

/// A request or a notification on the operator's socket.
protocol BridgeCall: MethodCall, Sendable, Equatable {}

extension BridgeCall {
    /// Reads a call; `nil` without such a method.
    ///
    /// - Throws: ``BridgeControlError`` with code 76 if a parameter is missing or of the wrong type.
    init?(method: String, params: JSONValue) throws(BridgeControlError) {
        do {
            guard let call = try Self.decoded(method: method, params: params) else { return nil }
            self = call
        } catch { throw BridgeControlError(decoding: error) }
    }
}

/// What can be asked at the operator's socket.
enum BridgeRequest: BridgeCall {
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
}

/// What the bridge says to a command that watches.
enum BridgeNotification: BridgeCall {
    /// Nothing that happens from now on will be missed; sent once.
    case watching
    case changed(LightEvent)

    package enum CodingKeys: String, MethodKey {
        case watching = "watch.started"
        case changed = "watch.changed"
    }
}
