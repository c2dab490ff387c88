import AccessoryRole
import BridgeControl
import DaemonKit
import DatabaseKit
import DeviceBridge
import DeviceKit
import Discovery
import FoundationEssentials
import Glibc
import HAPModel
import HAPProtocol
import LightDrivers
import SystemKit
import TerminalKit
import YAMLKit

/// Performs the operator's commands, which arrive over the control socket.
struct BridgeOperations: BridgeControlHandler {
    /// Returns the bridges; at least one.
    ///
    /// The configuration describes the first bridge.
    let bridges: @Sendable () async -> [Bridge]
    let since = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let lights: DeviceBridge
    let supervisor: DriverSupervisor
    let reloader: ConfigurationReloader
    let editor: ConfigurationEditor
    let hostFacts: HostFacts
    let memory: BridgeMemory
    let search: LightSearch
    let history = WarningHistory()

    func status() async throws -> BridgeStatus {
        let snapshots = await lights.snapshots()
        var warnings = await reloader.warnings.map { BridgeWarning(.configuration, $0) }
        warnings += await lights.warnings().map { warning in
            BridgeWarning(
                .lights, warning.text,
                about: BridgeWarning.Subject(driver: warning.driver, light: warning.light?.description))
        }
        let all = await bridges()
        for bridge in all { await warnSetup(of: bridge, all.count, &warnings) }
        warnings += hostFacts.missingInterfaces.map {
            BridgeWarning(
                .missingInterface,
                "unknown interface \($0), which will be used when it appears; if the name is wrong, correct bridge.interfaces"
            )
        }
        if let warning = hostFacts.storageWarning { warnings.append(BridgeWarning(.storage, warning)) }
        let counts = await lights.lightCounts
        var reports: [BridgeStatus.Bridge] = []
        for bridge in all {
            reports.append(
                BridgeStatus.Bridge(
                    number: bridge.number, name: bridge.name, deviceID: bridge.deviceID.description,
                    port: bridge.port, configurationNumber: Int(await bridge.server.configurationNumber),
                    paired: await bridge.server.isPaired, controllers: await bridge.server.controllerCount,
                    lights: counts[bridge.number, default: 0], advertisement: bridge.advertisement(&warnings)))
        }
        for report in reports.dropFirst() where !report.paired && report.lights > 0 {
            warnings.append(
                BridgeWarning(
                    .unpairedBridge,
                    "\(report.name) has the \(report.lights) devices that exceed the limit of one bridge, but isn't "
                        + "paired; \(ShellCommand.lamplighter) setup shows its code"))
        }
        let shown = Dictionary(grouping: snapshots, by: \.kind).mapValues(\.count)
        let hidden = await lights.excludedCounts
        let included = await reloader.configuration.include.kinds
        let first = reports[0]
        let statistics = Dictionary(uniqueKeysWithValues: await lights.driverStatistics().map { ($0.id, $0) })
        return BridgeStatus(
            name: first.name, deviceID: first.deviceID, since: since, port: first.port,
            configurationNumber: first.configurationNumber, paired: first.paired, controllers: first.controllers,
            advertisement: first.advertisement, bridges: reports,
            drivers: await supervisor.running.map(\.entry).map { entry in
                BridgeStatus.Driver(id: entry.id, driver: entry.driver, statistics[entry.id])
            },
            lights: BridgeStatus.Lights(count: snapshots.count, reachable: snapshots.count(where: \.isReachable)),
            kinds: Self.listing(of: shown), hiddenKinds: Self.listing(of: hidden),
            includeLine: hidden.isEmpty ? nil : "include: \(IncludedKinds(included.union(hidden.keys)).text)",
            warnings: warnings)
    }

    private static func listing(of counts: [LightKind: Int]) -> [BridgeStatus.KindCount] {
        LightKind.allCases.compactMap { kind in
            counts[kind].map { BridgeStatus.KindCount(kind: kind.plural, count: $0) }
        }
    }

    private func warnSetup(of bridge: Bridge, _ count: Int, _ warnings: inout [BridgeWarning]) async {
        let failures = await bridge.server.failedAttempts
        if failures > 0 {
            let name = count > 1 ? "\(bridge.name): " : ""
            warnings.append(
                BridgeWarning(
                    .setupAttempts,
                    "\(name)\(failures) of \(SetupAttempts.maximumFailures) attempts to pair with a wrong setup code"))
        }
        if let vendor = bridge.server.vendor, bridge.number == 1, await !bridge.server.isPaired {
            warnings.append(
                BridgeWarning(
                    .ownershipRequired,
                    "only apps with the token of \(vendor) can pair, and Apple's Home app doesn't have it; remove "
                        + "bridge.ownership to allow pairing with only the setup code"))
        }
    }

    func warnings() async throws -> WarningListing {
        let status = try await status()
        // The status shows the problem of a driver as its state.
        let problems = status.drivers.compactMap { driver in
            driver.reason.map { BridgeWarning(.driver, $0, about: BridgeWarning.Subject(driver: driver.id)) }
        }
        await history.record(problems + status.codedWarnings)
        return await history.listing
    }

    func diagnostics() async throws -> BridgeDiagnostics {
        let bridge = await bridges()[0]
        return BridgeDiagnostics(
            version: Version.current, process: Int(getpid()), isToBeAdvertised: bridge.publisher != nil,
            wantedName: bridge.wantedName, discoveryError: bridge.publisher?.state.discoveryError,
            interfaces: hostFacts.interfaces.resolve(InterfaceFacts.current()).map(\.name),
            txt: Dictionary(await bridge.server.advertisement.txt.map { ($0.key, $0.value) }) { $1 },
            pairings: await bridge.server.pairingReports().count,
            refusedSetups: Int(clamping: await bridge.server.statistics.refusedSetups),
            failedAttempts: await bridge.server.failedAttempts,
            attemptsAllowed: SetupAttempts.maximumFailures, clockStep: hostFacts.clockStep,
            storage: hostFacts.storage)
    }

    func setup(force: Bool) async throws -> SetupListing {
        var listed: [SetupListing.Bridge] = []
        for bridge in await bridges() {
            let isPaired = await bridge.server.isPaired
            guard !isPaired || force else { continue }
            let payload = await bridge.server.setupPayload
            listed.append(
                SetupListing.Bridge(
                    number: bridge.number, name: bridge.name, code: payload.code?.text ?? "", payload: payload.uri,
                    paired: isPaired))
        }
        guard let first = listed.first else {
            throw BridgeControlError.unavailable(
                "the bridge is paired",
                remedy:
                    "to remove the pairings: \(ShellCommand.lamplighter) pairings remove --all; to show the code anyway, use --force"
            )
        }
        return SetupListing(code: first.code, payload: first.payload, paired: first.paired, bridges: listed)
    }

    func lights() async throws -> [LightListing] {
        let warnings = Dictionary(grouping: await lights.warnings(), by: \.light)
        return await lights.snapshots().map { LightListing($0, warnings[$0.key]?.map(\.text)) }
    }

    func setLight(_ key: String, _ change: LightChange) async throws {
        let (light, snapshot) = try await find(key)
        let command = LightCommand(change.values(for: snapshot.kind))
        let status = await lights.command(command, light)
        guard status == .success else {
            let remedy = DeviceWord(for: LightListing(snapshot, nil))?.activationRemedy
            throw BridgeControlError.refused(key, status, reason: await lights.refusal(of: light), remedy: remedy)
        }
    }

    func discoverLights() async throws -> FoundLights {
        let outcome = await search.run(for: DriverCatalog.drivers)
        let found = FoundLights(outcome, configured: await supervisor.running.map(\.entry))
        await editor.keep(found)
        return found
    }

    func forgetLight(_ key: String) async throws {
        let (light, snapshot) = try await find(key)
        guard !snapshot.isReachable else {
            throw BridgeControlError.usage(
                "\(key) is reachable, so it can't be removed; to hide it, set hidden: true for it under lights"
            )
        }
        await lights.forget(light)
        guard await lights.isRemovalStored(light) else {
            throw storageError(
                "controllers no longer show \(key), but the change isn't stored yet; lamplighterd keeps trying", nil)
        }
    }

    func identifyLight(_ key: String) async throws {
        let (_, snapshot) = try await find(key)
        guard snapshot.isReachable else { throw BridgeControlError.unavailable("\(key) can't be reached") }
        await lights.identify(snapshot.aid)
    }

    func purgeLights() async throws -> [ForgottenLight] {
        try await storing("no device was removed") {
            try await lights.purge().map { ForgottenLight(key: $0.key.description, name: $0.description.name) }
        }
    }

    func simulate(_ key: String, _ change: LightChange) async throws {
        let (light, snapshot) = try await find(key)
        let drivers = await supervisor.running
        guard let driver = drivers.first(where: { $0.entry.id == light.driver })?.driver as? SimulatedLightDriver else {
            throw BridgeControlError.usage("\(key) isn't a simulated device; only simulated devices can be changed")
        }
        if let name = change.impossibleNames(for: snapshot.kind).first {
            throw BridgeControlError.usage(
                "\(key): a \(snapshot.kind) doesn't support this value of \(name)",
                remedy: "to see its values, use lamplighter devices")
        }
        do {
            try await driver.simulate(
                LightReport(change.values(for: snapshot.kind), reachable: change.reachable), of: light.light)
        } catch {
            throw BridgeControlError.usage("\(key): \(error.description)")
        }
    }

    private func find(_ text: String) async throws -> (LightKey, LightSnapshot) {
        guard let key = LightKey(text), let snapshot = await lights.snapshots().first(where: { $0.key == key }) else {
            throw BridgeControlError.usage(
                "there is no device \(text)", remedy: "to list the devices, use lamplighter devices")
        }
        return (key, snapshot)
    }

    func pairings() async throws -> [PairingListing] {
        var listed: [PairingListing] = []
        for bridge in await bridges() {
            listed += await bridge.server.pairingReports().map { report in
                PairingListing(
                    id: report.pairing.controller.description, admin: report.pairing.isAdmin,
                    connected: report.connectedFor != nil, bridge: bridge.number,
                    connectedSince: report.connectedFor.map { duration in
                        Date(timeIntervalSinceNow: -Double(duration.components.seconds)).formatted(.iso8601)
                    })
            }
        }
        return listed
    }

    /// Removes a controller from all bridges, because it uses the same identifier with each of them.
    func removePairing(_ id: String) async throws {
        var removals = 0
        for server in await bridges().map(\.server) {
            let controllers = await server.pairingReports().map(\.pairing.controller)
            guard let controller = controllers.first(where: { $0.description == id }) else { continue }
            try await storing(Self.refusal(after: removals)) { _ = try await server.removePairing(controller) }
            removals += 1
        }
        guard removals > 0 else {
            throw BridgeControlError.usage(
                "there is no pairing \(id)", remedy: "to list the pairings, use \(ShellCommand.lamplighter) pairings")
        }
    }

    func removeAllPairings() async throws {
        for (removals, server) in await bridges().map(\.server).enumerated() {
            try await storing(Self.refusal(after: removals)) { try await server.removeAllPairings() }
        }
    }

    private static func refusal(after removals: Int) -> String {
        removals == 0 ? "no pairing was removed" : "the pairings weren't removed from all bridges"
    }

    func unlockPairing() async throws {
        for server in await bridges().map(\.server) {
            try await storing("pairing is still locked") { try await server.unlockPairing() }
        }
    }

    // MARK: Storage errors

    /// Makes a change that must be stored.
    ///
    /// - Throws: `BridgeControlError` if the change can't be stored. Its message begins with `refusal`.
    private func storing<Result>(_ refusal: String, _ change: () async throws -> Result) async throws -> Result {
        do {
            return try await change()
        } catch let error as BridgeControlError {
            throw error
        } catch {
            throw storageError(refusal, error)
        }
    }

    /// Returns the error for a change that can't be stored.
    ///
    /// If the disk is full or has another known problem, the message describes that problem, because it explains more
    /// than the error of a single call.
    private func storageError(_ refusal: String, _ error: (any Error)?) -> BridgeControlError {
        let file = hostFacts.file
        switch error {
        case DatabaseFileError.diskFull(let directory)?: return .diskFull(refusal, directory)
        case let error as DatabaseFileError where error.exitCode != .inputOutput:
            return BridgeControlError(code: error.exitCode.rawValue, message: "\(refusal): \(error)")
        default:
            if file.isFull { return .diskFull(refusal, file.directory) }
            let reason = hostFacts.storageWarning ?? error.map { "\($0)" } ?? "check the log of lamplighterd"
            return BridgeControlError(code: ExitCode.inputOutput.rawValue, message: "\(refusal): \(reason)")
        }
    }

    // MARK: Configuration and state

    func reload() async throws -> ReloadListing {
        do { return try await reloader.reload() } catch { throw BridgeControlError(error) }
    }

    func configuration() async throws -> ConfigurationListing {
        do {
            var listing = try await editor.listing()
            listing.mayBackUp = await reloader.configuration.bridge.allowsPageBackups
            return listing
        } catch { throw BridgeControlError(error) }
    }

    func proposeConfiguration(_ change: ConfigurationChange, isByPage: Bool) async throws -> ConfigurationProposal {
        let devices = await lights.snapshots().map(\.key)
        do {
            return try await editor.propose(change, devices: devices, isByPage: isByPage)
        } catch { throw BridgeControlError(error) }
    }

    func applyConfiguration(_ token: String, isByPage: Bool) async throws -> ReloadListing {
        do { return try await editor.apply(token, isByPage: isByPage) } catch { throw BridgeControlError(error) }
    }

    func undoConfiguration(isByPage: Bool) async throws -> ReloadListing {
        do { return try await editor.undo(isByPage: isByPage) } catch { throw BridgeControlError(error) }
    }

    func reset() async throws { try await storing("nothing was reset") { try await memory.reset() } }

    func backup(isByPage: Bool) async throws -> [UInt8] {
        if isByPage, await !reloader.configuration.bridge.allowsPageBackups {
            throw BridgeControlError.noPermission(
                "the page may not back up the bridge", remedy: "set page-backups: true in the section bridge")
        }
        return try await storing("no backup was made") { try memory.backup() }
    }

    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing {
        try await storing("nothing was restored") { try await memory.restore(receive) }
    }

    func watch() async throws -> AsyncStream<BridgeControl.LightEvent> {
        let events = await lights.events()
        var former = Dictionary(uniqueKeysWithValues: await lights.snapshots().map { ($0.key, $0) })
        let (stream, continuation) = AsyncStream.makeStream(
            of: BridgeControl.LightEvent.self, bufferingPolicy: .bufferingOldest(256))
        let task = Task {
            for await event in events {
                let changes =
                    event.events.isEmpty
                    ? LightChange(event.light, since: former[event.light.key])
                    : LightChange(event.events, since: nil, of: event.light.kind)
                former[event.light.key] = event.light
                guard changes != LightChange() else { continue }
                let result = continuation.yield(
                    BridgeControl.LightEvent(
                        time: Date.now.formatted(.iso8601), key: event.light.key.description, changes: changes,
                        origin: event.origin.rawValue))
                // The watcher is too slow and has missed events. End its stream, so that it notices.
                if case .dropped = result { break }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension Bridge {
    /// Returns the state of the mDNS advertisement, and appends the warnings about it.
    fileprivate func advertisement(_ warnings: inout [BridgeWarning]) -> BridgeStatus.Advertisement {
        guard let publisher else { return BridgeStatus.Advertisement(state: .off, name: wantedName) }
        let prefix = number > 1 ? "\(name): " : ""
        warnings += publisher.warnings.map { BridgeWarning(.cloneDetection, prefix + $0) }
        let state = publisher.state
        if let error = state.discoveryError {
            warnings.append(BridgeWarning(.notAdvertised, "\(prefix)not advertised: \(error)"))
        }
        if case .published(let name) = state, name != wantedName {
            warnings.append(
                BridgeWarning(
                    .nameTaken, "\(prefix)advertised as \"\(name)\", because another host uses \"\(wantedName)\""))
        }
        return BridgeStatus.Advertisement(
            state: .init(state), name: state.name ?? wantedName, error: state.discoveryError)
    }
}

extension BridgeStatus.Advertisement.State {
    init(_ state: PublicationState) {
        self =
            switch state {
            case .notAdvertised: .off
            case .waiting: .waiting
            case .withheld: .withheld
            case .registering: .registering
            case .published: .published
            case .failed: .failed
            }
    }
}

extension PublicationState {
    /// The reason why the bridge can't be advertised, if any.
    fileprivate var discoveryError: String? {
        switch self {
        case .waiting(let reason), .withheld(let reason), .failed(let reason): reason
        case .notAdvertised, .registering, .published: nil
        }
    }
}

extension BridgeStatus.Driver {
    fileprivate init(id: String, driver: String, _ statistics: DriverStatistics?) {
        let state = statistics?.state ?? .starting
        let reason: String? = if case .degraded(let reason) = state { reason } else { nil }
        self.init(
            id: id, driver: driver, code: state.code, reason: reason,
            dropped: statistics?.dropped.values.reduce(0, &+) ?? 0)
    }
}

extension DriverState {
    var code: BridgeStatus.Driver.Code {
        switch self {
        case .starting: .starting
        case .running: .running
        case .degraded: .degraded
        }
    }
}

extension BridgeControlError {
    fileprivate static func diskFull(_ refusal: String, _ directory: String) -> BridgeControlError {
        BridgeControlError(
            code: ExitCode.inputOutput.rawValue, message: "\(refusal): the disk is full",
            remedy: "make room in \(directory)")
    }

    /// Creates an error with the exit code and the message that the daemon would report if this error occurred at
    /// startup.
    fileprivate init(_ error: any Error) {
        if let error = error as? BridgeControlError {
            self = error
            return
        }
        let code = ExitCode(error).rawValue
        if let error = error as? ConfigurationError, !error.remedy.isEmpty {
            self.init(code: code, message: error.finding, remedy: error.remedy.sanitized)
        } else {
            self.init(code: code, message: "\(error)")
        }
    }

    fileprivate static func refused(
        _ key: String, _ status: HAPStatus, reason: String?, remedy: String?
    ) -> BridgeControlError {
        switch status {
        case .unableToCommunicate: .unavailable(reason.map { "\(key): \($0.sanitized)" } ?? "\(key) can't be reached")
        case .timedOut: .unavailable("\(key) didn't answer")
        case .busy: .unavailable("\(key) is busy", remedy: "try again")
        case .doesNotExist: .usage("there is no device \(key)")
        default:
            .usage(
                "\(key) supports none of these values", remedy: remedy ?? "to see its values, use lamplighter devices")
        }
    }
}

extension LightListing {
    fileprivate init(_ light: LightSnapshot, _ warnings: [String]?) {
        var shown = light
        shown.values.merge(light.lastEvents)
        self.init(
            key: light.key.description, name: light.name, kind: light.kind.rawValue, aid: light.aid.rawValue,
            bridge: light.bridge, driver: light.key.driver, reachable: light.isReachable,
            room: light.suggestedRoom, optimistic: light.isOptimistic, warnings: warnings,
            state: LightChange(shown, since: nil))
    }
}

extension LightChange {
    /// Creates a change with the values that differ from an earlier state of the light, or with all values if `former`
    /// is `nil`.
    fileprivate init(_ light: LightSnapshot, since former: LightSnapshot?) {
        self.init(light.values, since: former?.values, of: light.kind)
        if light.isReachable != former?.isReachable { reachable = light.isReachable }
    }
}
