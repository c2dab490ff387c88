/// The operator commands of the bridge.
///
/// Every method may throw ``BridgeControlError``. Any other error is logged and reported to the operator as an internal
/// error.
package protocol BridgeControlHandler: Sendable {
    func status() async throws -> BridgeStatus

    /// Returns the state of the bridge and of its host.
    func diagnostics() async throws -> BridgeDiagnostics

    /// Returns the setup code and its payload. For a paired bridge, this requires `force`.
    ///
    /// - Throws: ``BridgeControlError`` if the bridge is paired.
    func setup(force: Bool) async throws -> SetupListing

    func lights() async throws -> [LightListing]

    /// Sets values of the light `<driver id>/<light id>` as a controller would, and returns when the light has accepted
    /// them. The change must be valid for ``LightChange/Purpose/command``.
    ///
    /// - Throws: ``BridgeControlError`` if there is no such light or the light rejects the change.
    func setLight(_ key: String, _ change: LightChange) async throws

    /// Searches the network for devices that provide lights. This takes several seconds.
    func discoverLights() async throws -> FoundLights

    /// Removes a light that is permanently unreachable. If it returns, it keeps its accessory ID.
    ///
    /// - Parameter key: `<driver id>/<light id>`.
    /// - Throws: ``BridgeControlError`` if there is no such light or it is reachable.
    func forgetLight(_ key: String) async throws

    /// Removes all lights that their sources no longer have. A light that returns is a new light.
    ///
    /// - Throws: ``BridgeControlError`` if the change can't be stored. The bridge is then unchanged.
    func purgeLights() async throws -> [ForgottenLight]

    /// Simulates a change that the simulated light `<driver id>/<light id>` reports, and returns when it has happened.
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

    /// Gives the bridge a new identity. It returns before the bridge restarts with that identity.
    func reset() async throws

    /// Returns a consistent backup of the bridge's entire state.
    func backup() async throws -> [UInt8]

    /// Restores a backup and returns before the bridge restarts.
    ///
    /// - Parameter receive: Receives the backup from the operator. It isn't called if a restore isn't possible now.
    /// - Returns: The contents of the backup.
    /// - Throws: ``BridgeControlError`` if the backup is unusable. The bridge is then unchanged.
    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing

    /// Returns the light events from now on.
    ///
    /// The stream should buffer a limited number of events and finish when it overflows.
    func watch() async throws -> AsyncStream<LightEvent>
}
