/// The bridge as the operator commands it.
///
/// Every method may throw ``BridgeControlError``; any other error is logged and reaches the operator as an internal one.
package protocol BridgeControlHandler: Sendable {
    func status() async throws -> BridgeStatus

    /// The bridge's own state and that of its host.
    func diagnostics() async throws -> BridgeDiagnostics

    /// What a controller needs to pair.
    ///
    /// - Parameter force: show the code although the bridge is paired; without it that is refused.
    /// - Returns: the code and its payload.
    /// - Throws: ``BridgeControlError`` if the bridge is paired.
    func setup(force: Bool) async throws -> SetupListing

    func lights() async throws -> [LightListing]

    /// Commands a light as a controller would; returns when it has taken the command.
    ///
    /// - Parameters:
    ///   - key: `<driver id>/<light id>`.
    ///   - change: validated for ``LightChange/Purpose/command``.
    /// - Throws: ``BridgeControlError`` if there is no such light or it refuses.
    func setLight(_ key: String, _ change: LightChange) async throws

    /// Looks for what lights can come from on the network; takes some seconds.
    func discoverLights() async throws -> FoundLights

    /// Takes away a light that is out of reach for good; should it come back, it keeps its accessory id.
    ///
    /// - Parameter key: `<driver id>/<light id>`.
    /// - Throws: ``BridgeControlError`` if there is no such light or it is in reach.
    func forgetLight(_ key: String) async throws

    /// Forgets all lights that their sources no longer have; one that comes back is a new light.
    ///
    /// - Returns: those lights; empty if there are none.
    /// - Throws: ``BridgeControlError`` if that cannot be stored; nothing has changed then.
    func purgeLights() async throws -> [ForgottenLight]

    /// Lets a simulated light change by itself; returns when it has happened.
    ///
    /// - Parameters:
    ///   - key: `<driver id>/<light id>`.
    ///   - change: validated for ``LightChange/Purpose/simulation``.
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

    /// Takes a backup in; returns before the bridge starts anew with it.
    ///
    /// - Parameter receive: fetches the backup from the operator; not called if none can be taken in now.
    /// - Returns: what has been found in it.
    /// - Throws: ``BridgeControlError`` if it is no good; nothing has changed then.
    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing

    /// What happens to lights from now on.
    ///
    /// The stream should hold a bounded number of events and end when it overflows.
    func watch() async throws -> AsyncStream<LightEvent>
}
