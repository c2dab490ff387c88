/// The bridge as the operator commands it.
///
/// Every method may throw ``BridgeControlError``; any other error is logged and reaches the operator as an internal one.
package protocol BridgeControlHandler: Sendable {
    func status() async throws -> BridgeStatus

    /// The bridge's own state and that of its host.
    func diagnostics() async throws -> BridgeDiagnostics

    /// Returns the setup code and its payload; those of a paired bridge only with `force`.
    ///
    /// - Throws: ``BridgeControlError`` if the bridge is paired.
    func setup(force: Bool) async throws -> SetupListing

    func lights() async throws -> [LightListing]

    /// Commands the light `<driver id>/<light id>` as a controller would, with a change that is valid for
    /// ``LightChange/Purpose/command``; returns when the light has taken it.
    ///
    /// - Throws: ``BridgeControlError`` if there is no such light or it refuses.
    func setLight(_ key: String, _ change: LightChange) async throws

    /// Looks for what lights can come from on the network; takes some seconds.
    func discoverLights() async throws -> FoundLights

    /// Takes away a light that is out of reach for good; should it come back, it keeps its accessory id.
    ///
    /// - Throws: ``BridgeControlError`` if there is no such light or it is in reach.
    func forgetLight(_ key: String) async throws

    /// Forgets all lights that their sources no longer have; one that comes back is a new light.
    ///
    /// - Throws: ``BridgeControlError`` if that cannot be stored; nothing has changed then.
    func purgeLights() async throws -> [ForgottenLight]

    /// Changes the simulated light `<driver id>/<light id>` from its own side, with a change that is valid for
    /// ``LightChange/Purpose/simulation``; returns when that has happened.
    ///
    /// - Throws: ``BridgeControlError`` if there is no such light or it is not simulated.
    func simulate(_ key: String, _ change: LightChange) async throws

    func pairings() async throws -> [PairingListing]
    func removePairing(_ id: String) async throws
    func removeAllPairings() async throws

    /// Lets controllers try setup codes again after a hundred wrong ones.
    func unlockPairing() async throws

    /// Reads the configuration again; a wrong one changes nothing.
    func reload() async throws -> ReloadListing

    /// Gives the bridge a new identity; returns before the bridge starts anew with it.
    func reset() async throws

    /// Everything the bridge has learnt, consistent.
    func backup() async throws -> [UInt8]

    /// Restores a backup, fetched from the operator unless that isn't possible now; returns before the bridge restarts.
    ///
    /// - Throws: ``BridgeControlError`` if the backup is unusable; nothing has changed then.
    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing

    /// What happens to lights from now on.
    ///
    /// The stream should hold a bounded number of events and end when it overflows.
    func watch() async throws -> AsyncStream<LightEvent>
}
