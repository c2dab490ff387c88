import BridgeControl
import DaemonKit
import Discovery
import FoundationEssentials
import Glibc
import HAPAccessory
import HAPModel
import HAPProtocol
import LightBridge
import LightDrivers
import LightKit
import TerminalKit

/// What the operator's command asks of the bridge.
struct BridgeOperations: BridgeControlHandler {
    let name: String
    let deviceID: DeviceID
    let since = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let port: Int
    let server: AccessoryServer
    let lights: LightBridge
    let supervisor: DriverSupervisor
    let reloader: ConfigurationReloader
    let publisher: UniquePublisher?
    let hostFacts: HostFacts
    let memory: BridgeMemory

    func status() async throws -> BridgeStatus {
        let snapshots = await lights.snapshots()
        var warnings = await reloader.warnings.map { BridgeWarning(.configuration, $0) }
        warnings += await lights.warnings().map { BridgeWarning(.lights, $0) }
        let failures = await server.failedAttempts
        if failures > 0 {
            warnings.append(
                BridgeWarning(
                    .setupAttempts,
                    "\(failures) of \(SetupAttempts.maximumFailures) attempts to pair with a wrong setup code"))
        }
        let isPaired = await server.isPaired
        if let vendor = server.vendor, !isPaired {
            warnings.append(
                BridgeWarning(
                    .ownershipRequired,
                    "only an app that has the token of \(vendor) can pair, which Apple's Home app has not; remove "
                        + "bridge.ownership to let everybody in who knows the setup code"))
        }
        warnings += hostFacts.missingInterfaces.map {
            BridgeWarning(
                .missingInterface,
                "there is no interface \($0); it is used when it comes, or correct bridge.interfaces")
        }
        if let warning = hostFacts.storageWarning { warnings.append(BridgeWarning(.storage, warning)) }
        let advertisement = advertisement(&warnings)
        let states = Dictionary(uniqueKeysWithValues: await lights.driverReports().map { ($0.id, $0.state) })
        return BridgeStatus(
            name: name, deviceID: deviceID.description, since: since, port: port,
            configurationNumber: Int(await server.configurationNumber), paired: isPaired,
            controllers: await server.controllerCount, advertisement: advertisement,
            drivers: await supervisor.running.map(\.entry).map { entry in
                BridgeStatus.Driver(id: entry.id, driver: entry.driver, states[entry.id] ?? .starting)
            },
            lights: BridgeStatus.Lights(count: snapshots.count, reachable: snapshots.count(where: \.isReachable)),
            warnings: warnings)
    }

    func diagnostics() async throws -> BridgeDiagnostics {
        BridgeDiagnostics(
            version: Version.current, process: Int(getpid()), isToBeAdvertised: publisher != nil,
            wantedName: ServiceRecord.instanceName(name, suffix: deviceID.suffix),
            discoveryError: publisher?.state.discoveryError,
            interfaces: hostFacts.interfaces.resolve(InterfaceFacts.current()).map(\.name),
            txt: Dictionary(await server.advertisement.txt.map { ($0.key, $0.value) }) { $1 },
            pairings: await server.pairingReports().count,
            refusedSetups: Int(clamping: await server.statistics.refusedSetups),
            failedAttempts: await server.failedAttempts,
            attemptsAllowed: SetupAttempts.maximumFailures, clockStep: hostFacts.clockStep,
            storage: hostFacts.storage)
    }

    private func advertisement(_ warnings: inout [BridgeWarning]) -> BridgeStatus.Advertisement {
        let wanted = ServiceRecord.instanceName(name, suffix: deviceID.suffix)
        guard let publisher else { return BridgeStatus.Advertisement(state: .off, name: wanted) }
        warnings += publisher.warnings.map { BridgeWarning(.cloneDetection, $0) }
        let state = publisher.state
        if let error = state.discoveryError {
            warnings.append(BridgeWarning(.notAdvertised, "not advertised: \(error)"))
        }
        let code: BridgeStatus.Advertisement.State
        switch state {
        case .notAdvertised: code = .off
        case .waiting: code = .waiting
        case .withheld: code = .withheld
        case .failed: code = .failed
        case .registering(let name): return BridgeStatus.Advertisement(state: .registering, name: name)
        case .published(let name):
            if name != wanted {
                warnings.append(BridgeWarning(.nameTaken, "advertised as \"\(name)\": \"\(wanted)\" was taken"))
            }
            return BridgeStatus.Advertisement(state: .published, name: name)
        }
        return BridgeStatus.Advertisement(state: code, name: wanted, error: state.discoveryError)
    }

    func setup(force: Bool) async throws -> SetupListing {
        let isPaired = await server.isPaired
        guard !isPaired || force else {
            throw BridgeControlError.unavailable(
                "the bridge is paired; remove the pairings first, or show the code all the same with --force")
        }
        let payload = await server.setupPayload
        return SetupListing(code: payload.code?.text ?? "", payload: payload.uri, paired: isPaired)
    }

    func lights() async throws -> [LightListing] { await lights.snapshots().map(LightListing.init) }

    func setLight(_ key: String, _ change: LightChange) async throws {
        let (light, snapshot) = try await find(key)
        var command = LightCommand(on: change.on, brightness: change.brightness, color: change.color(over: snapshot))
        if change.brightness == 0 {
            // As for a controller, zero means off and the level stays.
            command.brightness = nil
            command.on = false
        }
        let status = await lights.command(command, light)
        guard status == .success else { throw BridgeControlError.refused(key, status) }
    }

    func forgetLight(_ key: String) async throws {
        let (light, snapshot) = try await find(key)
        guard !snapshot.isReachable else {
            throw BridgeControlError.usage(
                "\(key) is in reach; only a light that is gone can be forgotten, others are hidden in the configuration"
            )
        }
        await lights.forget(light)
    }

    func purgeLights() async throws -> [ForgottenLight] {
        do {
            return try await lights.purge().map {
                ForgottenLight(key: $0.key.description, name: $0.description.name)
            }
        } catch {
            throw BridgeControlError(code: 74, message: "the lights cannot be stored; see the daemon's log")
        }
    }

    func simulate(_ key: String, _ change: LightChange) async throws {
        let (light, snapshot) = try await find(key)
        let drivers = await supervisor.running
        guard let driver = drivers.first(where: { $0.entry.id == light.driver })?.driver as? SimulatedLightDriver else {
            throw BridgeControlError.usage("\(key) is no simulated light; only those change on command")
        }
        do {
            try await driver.simulate(
                LightReport(
                    on: change.on, brightness: change.brightness, color: change.color(over: snapshot),
                    reachable: change.reachable),
                of: light.light)
        } catch {
            throw BridgeControlError.usage("\(key): \(error.description)")
        }
    }

    private func find(_ text: String) async throws -> (LightKey, LightSnapshot) {
        guard let key = LightKey(text), let snapshot = await lights.snapshots().first(where: { $0.key == key }) else {
            throw BridgeControlError.usage("there is no light \(text); lamplighter lights lists them")
        }
        return (key, snapshot)
    }

    func pairings() async throws -> [PairingListing] {
        await server.pairingReports().map { report in
            PairingListing(
                id: report.pairing.controller.description, admin: report.pairing.isAdmin, connected: report.isConnected)
        }
    }

    func removePairing(_ id: String) async throws {
        guard
            let controller = await server.pairingReports().map(\.pairing.controller).first(where: {
                $0.description == id
            })
        else { throw BridgeControlError.usage("there is no pairing \(id); lamplighter pairings lists them") }
        do {
            _ = try await server.removePairing(controller)
        } catch {
            throw BridgeControlError(code: 74, message: "the pairings cannot be stored; see the daemon's log")
        }
    }

    func removeAllPairings() async throws {
        do {
            try await server.removeAllPairings()
        } catch {
            throw BridgeControlError(code: 74, message: "the pairings cannot be stored; see the daemon's log")
        }
    }

    func unlockPairing() async throws {
        do {
            try await server.unlockPairing()
        } catch {
            throw BridgeControlError(code: 74, message: "the counter cannot be stored; see the daemon's log")
        }
    }

    // MARK: Configuration and memory

    func reload() async throws -> ReloadListing {
        do { return try await reloader.reload() } catch { throw BridgeControlError(error) }
    }

    func reset() async throws { try memory.reset() }

    func backup() async throws -> [UInt8] {
        do { return try memory.backup() } catch { throw BridgeControlError(error) }
    }

    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing {
        do { return try await memory.restore(receive) } catch { throw BridgeControlError(error) }
    }

    func watch() async throws -> AsyncStream<BridgeControl.LightEvent> {
        let events = await lights.events()
        var former = Dictionary(uniqueKeysWithValues: await lights.snapshots().map { ($0.key, $0) })
        let (stream, continuation) = AsyncStream.makeStream(
            of: BridgeControl.LightEvent.self, bufferingPolicy: .bufferingOldest(256))
        let task = Task {
            for await event in events {
                let changes = LightChange(event.light, since: former[event.light.key])
                former[event.light.key] = event.light
                guard changes != LightChange() else { continue }
                let result = continuation.yield(
                    BridgeControl.LightEvent(
                        time: Date.now.formatted(.iso8601), key: event.light.key.description, changes: changes,
                        origin: event.origin.rawValue))
                // A watcher that does not keep up is notified by the end of its stream.
                if case .dropped = result { break }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension PublicationState {
    /// Why the bridge is not advertised, if it should be and is not.
    fileprivate var discoveryError: String? {
        switch self {
        case .waiting(let reason), .withheld(let reason), .failed(let reason): reason
        case .notAdvertised, .registering, .published: nil
        }
    }
}

extension BridgeStatus.Driver {
    fileprivate init(id: String, driver: String, _ state: DriverState) {
        switch state {
        case .starting: self.init(id: id, driver: driver, code: .starting)
        case .running: self.init(id: id, driver: driver, code: .running)
        case .degraded(let reason): self.init(id: id, driver: driver, code: .degraded, reason: reason)
        }
    }
}

extension BridgeControlError {
    /// What the daemon would have ended with, had it met the error at its start.
    fileprivate init(_ error: any Error) {
        if let error = error as? BridgeControlError {
            self = error
            return
        }
        self.init(code: ExitCode(error).rawValue, message: "\(error)")
    }

    fileprivate static func refused(_ key: String, _ status: HAPStatus) -> BridgeControlError {
        switch status {
        case .unableToCommunicate: .unavailable("\(key) cannot be reached")
        case .timedOut: .unavailable("\(key) has not answered")
        case .busy: .unavailable("\(key) is busy; try again")
        case .doesNotExist: .usage("there is no light \(key)")
        default: .usage("\(key) can do nothing of this; lamplighter lights shows what it has")
        }
    }
}

extension LightListing {
    fileprivate init(_ light: LightSnapshot) {
        self.init(
            key: light.key.description, name: light.name, kind: light.kind.rawValue, aid: light.aid.rawValue,
            driver: light.key.driver, reachable: light.isReachable, state: LightChange(light, since: nil))
    }
}

extension LightChange {
    /// What differs from an earlier look at a light; all of it if there was none.
    fileprivate init(_ light: LightSnapshot, since former: LightSnapshot?) {
        self.init()
        if light.on != former?.on { on = light.on }
        if light.brightness != former?.brightness { brightness = light.brightness }
        if light.hue != former?.hue { hue = light.hue }
        if light.saturation != former?.saturation { saturation = light.saturation }
        if light.mired != former?.mired { temperature = light.mired }
        if light.isReachable != former?.isReachable { reachable = light.isReachable }
    }

    /// The colour or white that is asked for; of hue and saturation the one that is left out stays.
    fileprivate func color(over light: LightSnapshot) -> LightColor? {
        if let temperature { return .temperature(mired: temperature) }
        guard hue != nil || saturation != nil else { return nil }
        return .hueSaturation(hue: hue ?? light.hue ?? 0, saturation: saturation ?? light.saturation ?? 100)
    }
}
