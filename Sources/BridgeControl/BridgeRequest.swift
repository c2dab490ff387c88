import BoundedJSON

/// A request to the control socket.
enum BridgeRequest: OperatorCall {
    /// Returns ``BridgeStatus``.
    case status
    /// Returns ``BridgeDiagnostics``: details that `doctor` needs and ``status`` omits.
    case diagnostics
    /// Returns ``WarningListing``.
    case warnings
    /// Returns ``SetupListing``.
    case setup(force: Bool?)
    /// Returns an array of ``LightListing``.
    case lights
    case setLight(key: String, change: LightChange)
    case forgetLight(key: String)
    case identifyLight(key: String)
    /// Returns ``FoundLights``. This takes several seconds.
    case discoverLights
    /// Returns an array of ``ForgottenLight``.
    case purgeLights
    case simulate(key: String, change: LightChange)
    /// Returns an array of ``PairingListing``.
    case pairings
    case removePairing(id: String)
    case removeAllPairings
    case unlockPairing
    /// Returns ``ReloadListing``.
    case reload
    /// Returns ``ConfigurationListing``.
    case configuration
    /// Returns ``ConfigurationProposal``. Nothing changes.
    case proposeConfiguration(change: ConfigurationChange)
    /// Returns ``ReloadListing``.
    case applyConfiguration(token: String)
    /// Returns ``ReloadListing``.
    case undoConfiguration
    case reset
    /// Returns ``BackupListing``. Before that, the bridge sends a ``FileRequest`` with each part of the file.
    case backup
    /// Returns ``RestoreListing``. Before that, the bridge sends a ``FileRequest`` for each part of the file.
    case restore(size: Int)
    /// Returns when the bridge shuts down. Until then, the bridge sends ``BridgeNotification``s.
    case watch

    package enum CodingKeys: String, MethodKey {
        case status
        case diagnostics = "particulars"
        case warnings, setup, lights
        case setLight = "lights.set"
        case discoverLights = "lights.discover"
        case forgetLight = "lights.forget"
        case identifyLight = "lights.identify"
        case purgeLights = "lights.purge"
        case simulate, pairings
        case removePairing = "pairings.remove"
        case removeAllPairings = "pairings.removeAll"
        case unlockPairing = "pairings.unlock"
        case configuration
        case proposeConfiguration = "configuration.propose"
        case applyConfiguration = "configuration.apply"
        case undoConfiguration = "configuration.undo"
        case reload, reset, backup, restore, watch
    }

    /// A Boolean value that indicates whether the web page may send the request.
    ///
    /// These requests return no codes of paired bridges, and no keys without the consent of an administrator. They change only what the forms of light systems
    /// cover, which excludes the programs that plugins run.
    ///
    /// The page lists the pairings but can't remove them. A removal can't be undone and takes the bridge out of its
    /// owner's home, and the page is the program that devices on the network can reach.
    var isForPage: Bool {
        switch self {
        case .status, .warnings, .lights, .pairings, .discoverLights: true
        // The bridge refuses the page's changes of plugins.
        case .configuration, .proposeConfiguration, .applyConfiguration, .undoConfiguration: true
        // The bridge checks that its configuration allows it.
        case .backup: true
        case .setup(let force): force != true
        default: false
        }
    }
}

/// A notification from the bridge to a command that watches lights.
enum BridgeNotification: OperatorCall {
    /// The subscription has started, so all events from now on are delivered. This is sent once.
    case watching
    case changed(LightEvent)

    package enum CodingKeys: String, MethodKey {
        case watching = "watch.started"
        case changed = "watch.changed"
    }
}
