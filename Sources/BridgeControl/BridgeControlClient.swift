import BoundedJSON
package import LineRPC

/// The bridge at the other end of the operator's socket.
package struct BridgeControlClient: Sendable {
    /// A file travels in parts, and may have to come off a slow card.
    private static let fileDeadline = Duration.seconds(60)

    private let peer: LineRPCPeer
    private let file: TransferredFile

    /// Connects, and hangs up when the body returns.
    ///
    /// - Throws: ``BridgeControlError``, and what the body throws.
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
            throw BridgeControlError(failure)
        } catch let error as LineRPCError {
            throw BridgeControlError(error, location)
        }
    }

    package func status() async throws -> BridgeStatus { try BridgeStatus(json: await ask(.status)) }

    package func diagnostics() async throws -> BridgeDiagnostics {
        try BridgeDiagnostics(json: await ask(.diagnostics))
    }

    /// What a controller needs to pair; `force` shows the code also if the bridge is paired.
    package func setup(force: Bool) async throws -> SetupListing {
        try SetupListing(json: await ask(.setup(force: force)))
    }

    package func lights() async throws -> [LightListing] { try [LightListing](json: await ask(.lights)) }

    package func setLight(_ key: String, _ change: LightChange) async throws {
        _ = try await ask(.setLight(key: key, change: change))
    }

    /// Looks for lights on the networks that no driver shows yet.
    package func discoverLights() async throws -> FoundLights { try FoundLights(json: await ask(.discoverLights)) }

    /// Forgets a light that its driver no longer reports.
    package func forgetLight(_ key: String) async throws { _ = try await ask(.forgetLight(key: key)) }

    /// Forgets the lights of drivers that are gone.
    package func purgeLights() async throws -> [ForgottenLight] {
        try [ForgottenLight](json: await ask(.purgeLights))
    }

    /// Has a simulated light change by itself.
    package func simulate(_ key: String, _ change: LightChange) async throws {
        _ = try await ask(.simulate(key: key, change: change))
    }

    package func pairings() async throws -> [PairingListing] { try [PairingListing](json: await ask(.pairings)) }

    /// Removes a controller, as if it had removed itself.
    package func removePairing(_ id: String) async throws { _ = try await ask(.removePairing(id: id)) }

    package func removeAllPairings() async throws { _ = try await ask(.removeAllPairings) }

    /// Allows attempts to pair again after too many that failed.
    package func unlockPairing() async throws { _ = try await ask(.unlockPairing) }

    package func reload() async throws -> ReloadListing { try ReloadListing(json: await ask(.reload)) }

    /// Gives the bridge a new identity, without pairings.
    package func reset() async throws { _ = try await ask(.reset, deadline: Self.fileDeadline) }

    /// Fetches everything the bridge has learnt.
    ///
    /// - Throws: ``BridgeControlError``.
    package func backup() async throws -> [UInt8] {
        let file = file.begin(with: [])
        let listing = try BackupListing(json: await ask(.backup, deadline: Self.fileDeadline))
        let bytes = file.bytes
        guard bytes.count == listing.size else {
            throw BridgeControlError.protocolViolation("the backup has not come whole")
        }
        return bytes
    }

    /// Hands the bridge a backup.
    ///
    /// - Throws: ``BridgeControlError`` if it is no good; nothing has changed then.
    package func restore(_ backup: [UInt8]) async throws -> RestoreListing {
        _ = file.begin(with: backup)
        return try RestoreListing(json: await ask(.restore(size: backup.count), deadline: Self.fileDeadline))
    }

    /// Hands on events of lights until the bridge ends or the task is canceled; `onWatching` is called once none can be
    /// missed.
    ///
    /// - Throws: ``BridgeControlError`` if the connection ends without the bridge's word; what the body throws.
    package func watch(
        onWatching: @Sendable () -> Void = {}, _ body: @Sendable (LightEvent) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // The answer means that nothing more will come; `close` then ends the notifications below.
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

extension BridgeControlError {
    init(_ error: LineRPCError, _ location: SocketLocation) {
        switch error {
        case .unreachable(let path, let reason):
            let remark = location.remark.map { "; the one in this directory is not used: \($0)" } ?? ""
            self = .unavailable(
                "lamplighterd is not reachable at \(path) (\(reason)\(remark))",
                remedy: "start it, or name its control socket with --control")
            isDaemonAway = true
        case .untrusted: self = .noPermission("\(error)", remedy: "name a socket that you trust with --control")
        case .noPermission(let path):
            self = .noPermission(
                "no permission to use \(path)",
                remedy: "run as root or become a member of the group lamplighter")
        case .pathTooLong(let path): self = .usage("the socket path is too long for the system: \(path)")
        case .timedOut:
            self = .unavailable("lamplighterd did not answer in time at \(location.path)", remedy: "see its log")
            isUnanswered = true
        case .closed:
            self = .unavailable("lamplighterd closed the connection at \(location.path)", remedy: "see its log")
            isUnanswered = true
        case .inUse, .notASocket, .cannotListen, .tooManyRequests, .tooLong:
            self.init(code: 70, message: error.description)
        }
    }
}
