/// The operator commands of the bridge.
///
/// Every method may throw ``BridgeControlError``. All other errors are logged, and reported to the operator as internal
/// errors.
package protocol BridgeControlHandler: Sendable {
    func status() async throws -> BridgeStatus

    /// Returns details about the bridge and its host that `doctor` needs.
    func diagnostics() async throws -> BridgeDiagnostics

    /// Returns current and past warnings.
    func warnings() async throws -> WarningListing

    /// Returns the setup codes and payloads of the unpaired bridges, or of all bridges with `force`.
    ///
    /// - Throws: ``BridgeControlError`` if all bridges are paired and `force` is `false`.
    func setup(force: Bool) async throws -> SetupListing

    func lights() async throws -> [LightListing]

    /// Sets values of the light `<driver id>/<light id>` as a controller would, and returns once the light has accepted
    /// them.
    ///
    /// The change must be valid for ``LightChange/Purpose/command``.
    ///
    /// - Throws: ``BridgeControlError`` if there is no such light or the light rejects the change.
    func setLight(_ key: String, _ change: LightChange) async throws

    /// Searches the network for devices that provide lights, which takes several seconds.
    func discoverLights() async throws -> FoundLights

    /// Removes an unreachable light.
    ///
    /// If the light returns later, it gets the same accessory ID.
    ///
    /// - Parameter key: `<driver id>/<light id>`.
    /// - Throws: ``BridgeControlError`` if there is no such light or it is reachable.
    func forgetLight(_ key: String) async throws

    /// Makes a light identify itself, for example by blinking, and returns without waiting for the end.
    ///
    /// - Parameter key: `<driver id>/<light id>`.
    /// - Throws: ``BridgeControlError`` if there is no such light or it is unreachable.
    func identifyLight(_ key: String) async throws

    /// Permanently removes the lights that their sources have removed, and the lights of drivers that are no longer
    /// configured.
    ///
    /// If such a light returns later, it is treated as a new light.
    ///
    /// - Throws: ``BridgeControlError`` if the change can't be stored. The bridge is then unchanged.
    func purgeLights() async throws -> [ForgottenLight]

    /// Makes the simulated light `<driver id>/<light id>` report a change, and returns once it has done so.
    ///
    /// The change must be valid for ``LightChange/Purpose/simulation``.
    ///
    /// - Throws: ``BridgeControlError`` if there is no such light or it isn't simulated.
    func simulate(_ key: String, _ change: LightChange) async throws

    func pairings() async throws -> [PairingListing]
    func removePairing(_ id: String) async throws
    func removeAllPairings() async throws

    /// Allows pairing attempts again after a hundred wrong setup codes.
    func unlockPairing() async throws

    /// Reloads the configuration. An invalid configuration changes nothing.
    func reload() async throws -> ReloadListing

    /// Returns what can be changed in the configuration.
    func configuration() async throws -> ConfigurationListing

    /// Checks a change of the configuration without making it.
    ///
    /// `isByPage` is `true` if the request came through the web page's socket, which may not change plugins.
    ///
    /// - Throws: ``BridgeControlError`` if the change isn't possible or the changed configuration would be invalid.
    func proposeConfiguration(_ change: ConfigurationChange, isByPage: Bool) async throws -> ConfigurationProposal

    /// Writes the configuration file of a proposal and reloads it.
    ///
    /// `isByPage` is `true` if the request came through the web page's socket.
    ///
    /// - Throws: ``BridgeControlError`` if the file has changed or can't be written. It is then unchanged.
    func applyConfiguration(_ token: String, isByPage: Bool) async throws -> ReloadListing

    /// Restores the configuration file before the last applied proposal and reloads it.
    ///
    /// `isByPage` is `true` if the request came through the web page's socket.
    ///
    /// - Throws: ``BridgeControlError`` if the file has changed since then, or if the page asks to undo a change that
    ///   isn't its own. The file is then unchanged.
    func undoConfiguration(isByPage: Bool) async throws -> ReloadListing

    /// Gives the bridge a new identity, and returns before the bridge restarts with it.
    func reset() async throws

    /// Returns a consistent backup of the bridge's entire state.
    ///
    /// `isByPage` is `true` if the request came through the web page's socket.
    ///
    /// - Throws: ``BridgeControlError`` if the configuration doesn't allow the page to back up the bridge.
    func backup(isByPage: Bool) async throws -> [UInt8]

    /// Restores a backup, and returns before the bridge restarts with it.
    ///
    /// - Parameter receive: Receives the backup from the operator and returns it. It is called only if a restore is
    ///   possible.
    /// - Returns: The contents of the backup.
    /// - Throws: ``BridgeControlError`` if the backup is unusable. The bridge is then unchanged.
    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing

    /// Returns a stream of future light events.
    ///
    /// The stream should buffer a limited number of events, and finish if the buffer overflows.
    func watch() async throws -> AsyncStream<LightEvent>
}
