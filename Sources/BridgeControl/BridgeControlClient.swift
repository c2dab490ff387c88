import BoundedJSON
package import LineRPC

/// A client of the daemon's control socket.
package struct BridgeControlClient: Sendable {
    /// The time limit for requests that transfer or replace files, which may be on a slow memory card.
    private static let fileDeadline = Duration.seconds(60)

    private let peer: LineRPCPeer
    private let file: TransferredFile

    /// Connects to the daemon, runs a body, and disconnects when it returns.
    ///
    /// - Throws: ``BridgeControlError``, and errors of the body.
    @discardableResult
    package static func connect<Result: Sendable>(
        to location: SocketLocation, _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        do {
            let file = TransferredFile()
            return try await LineRPCClient.connect(to: location.path, servers: location.servers, handler: file) {
                try await body(BridgeControlClient(peer: $0, file: file))
            }
        } catch let failure as RPCFailure {
            throw BridgeControlError(failure, from: .bridge)
        } catch let error as LineRPCError {
            throw BridgeControlError(error, location, of: .bridge)
        }
    }

    package func status() async throws -> BridgeStatus { try BridgeStatus(json: await ask(.status)) }

    package func diagnostics() async throws -> BridgeDiagnostics {
        try BridgeDiagnostics(json: await ask(.diagnostics))
    }

    /// Returns current and past warnings.
    package func warnings() async throws -> WarningListing { try WarningListing(json: await ask(.warnings)) }

    /// Returns the data that a controller needs to pair.
    ///
    /// With `force`, it includes the codes of paired bridges.
    package func setup(force: Bool) async throws -> SetupListing {
        try SetupListing(json: await ask(.setup(force: force)))
    }

    package func lights() async throws -> [LightListing] { try [LightListing](json: await ask(.lights)) }

    package func setLight(_ key: String, _ change: LightChange) async throws {
        _ = try await ask(.setLight(key: key, change: change))
    }

    /// Searches the networks for devices and brokers that provide lights.
    package func discoverLights() async throws -> FoundLights { try FoundLights(json: await ask(.discoverLights)) }

    /// Removes an unreachable light.
    package func forgetLight(_ key: String) async throws { _ = try await ask(.forgetLight(key: key)) }

    /// Makes a light identify itself.
    package func identifyLight(_ key: String) async throws { _ = try await ask(.identifyLight(key: key)) }

    /// Permanently removes the lights that their sources have removed, and the lights of drivers that are no longer
    /// configured.
    package func purgeLights() async throws -> [ForgottenLight] {
        try [ForgottenLight](json: await ask(.purgeLights))
    }

    /// Makes a simulated light report a change.
    package func simulate(_ key: String, _ change: LightChange) async throws {
        _ = try await ask(.simulate(key: key, change: change))
    }

    package func pairings() async throws -> [PairingListing] { try [PairingListing](json: await ask(.pairings)) }

    /// Removes the pairing of a controller, as if the controller had removed itself.
    package func removePairing(_ id: String) async throws { _ = try await ask(.removePairing(id: id)) }

    package func removeAllPairings() async throws { _ = try await ask(.removeAllPairings) }

    /// Allows pairing attempts again after too many failures.
    package func unlockPairing() async throws { _ = try await ask(.unlockPairing) }

    package func reload() async throws -> ReloadListing { try ReloadListing(json: await ask(.reload)) }

    /// Returns what can be changed in the configuration.
    package func configuration() async throws -> ConfigurationListing {
        try ConfigurationListing(json: await ask(.configuration))
    }

    /// Checks a change of the configuration without making it.
    ///
    /// - Throws: ``BridgeControlError`` if the change isn't possible.
    package func propose(_ change: ConfigurationChange) async throws -> ConfigurationProposal {
        try ConfigurationProposal(json: await ask(.proposeConfiguration(change: change)))
    }

    /// Makes a proposed change and reloads the configuration.
    ///
    /// - Throws: ``BridgeControlError`` if the configuration file has changed since the proposal.
    package func apply(_ proposal: String) async throws -> ReloadListing {
        try ReloadListing(json: await ask(.applyConfiguration(token: proposal), deadline: Self.fileDeadline))
    }

    /// Undoes the last change and reloads the configuration.
    package func undoConfiguration() async throws -> ReloadListing {
        try ReloadListing(json: await ask(.undoConfiguration, deadline: Self.fileDeadline))
    }

    /// Gives the bridge a new identity, and removes all pairings.
    package func reset() async throws { _ = try await ask(.reset, deadline: Self.fileDeadline) }

    /// Returns a backup of the bridge's entire state.
    ///
    /// - Throws: ``BridgeControlError``.
    package func backup() async throws -> [UInt8] {
        let file = file.begin(with: [])
        let listing = try BackupListing(json: await ask(.backup, deadline: Self.fileDeadline))
        let bytes = file.bytes
        guard bytes.count == listing.size else {
            throw BridgeControlError.protocolViolation("the backup is incomplete")
        }
        return bytes
    }

    /// Restores a backup.
    ///
    /// - Throws: ``BridgeControlError`` if the backup is unusable. The bridge is then unchanged.
    package func restore(_ backup: [UInt8]) async throws -> RestoreListing {
        _ = file.begin(with: backup)
        return try RestoreListing(json: await ask(.restore(size: backup.count), deadline: Self.fileDeadline))
    }

    /// Watches the lights until the bridge shuts down or the task is canceled, and calls the body with each event.
    ///
    /// - Parameters:
    ///   - onWatching: Called once, when the subscription has started. All events from then on are delivered.
    ///   - body: The receiver of events.
    /// - Throws: ``BridgeControlError`` if the connection ends before the bridge ends the subscription; errors of the
    ///   body.
    package func watch(
        onWatching: @Sendable () -> Void = {}, _ body: @Sendable (LightEvent) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // No events follow the answer. Closing the connection ends the loop over notifications below.
                defer { peer.close() }
                _ = try await ask(.watch, deadline: nil)
            }
            for await notification in peer.notifications {
                switch try BridgeNotification(method: notification.method, params: notification.params) {
                case .watching?: onWatching()
                case .changed(let event)?: try await body(event)
                case nil: break
                }
            }
            try await group.waitForAll()
        }
    }

    private func ask(_ request: BridgeRequest, deadline: Duration? = .seconds(10)) async throws -> JSONValue {
        try await peer.call(request.method, request.params, deadline: deadline)
    }
}
