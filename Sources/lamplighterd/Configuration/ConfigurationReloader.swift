import AccessoryRole
import BridgeControl
import ConfigurationKit
import DaemonKit
import DeviceBridge
import LightDrivers
import Logging

/// Reads the configuration file again and applies it to the running bridge; sessions stay.
///
/// A file that is wrong changes nothing. What belongs to the bridge itself (its name, port, interfaces ...) cannot be
/// changed under connected controllers: it is named and waits for a restart.
actor ConfigurationReloader {
    private let path: String
    private let instance: String
    private let useEventWindow: @Sendable (Duration) async -> Void
    private let lights: DeviceBridge
    private let supervisor: DriverSupervisor
    private let notifier: ServiceNotifier?
    private let logger: Logger

    /// What is in effect.
    private(set) var configuration: BridgeConfiguration
    /// Why the last file was not taken, and what of the file waits for a restart.
    private var warning: String?
    private var last: Task<ReloadListing, any Error>?

    init(
        path: String, instance: String, configuration: BridgeConfiguration,
        useEventWindow: @escaping @Sendable (Duration) async -> Void, fault: String?, lights: DeviceBridge,
        supervisor: DriverSupervisor, notifier: ServiceNotifier?, logger: Logger
    ) {
        self.path = path
        self.instance = instance
        self.configuration = configuration
        warning = fault.map(Self.warning)
        self.useEventWindow = useEventWindow
        self.lights = lights
        self.supervisor = supervisor
        self.notifier = notifier
        self.logger = logger
    }

    /// What the operator should know of the file.
    var warnings: [String] { warning.map { [$0] } ?? [] }

    /// Reads the file and applies it; one reload comes after the other.
    ///
    /// - Throws: `ConfigurationError` and `ConfigurationFileError`, with which nothing has changed.
    func reload() async throws -> ReloadListing {
        let former = last
        let task = Task {
            _ = await former?.result
            return try await readAndApply()
        }
        last = task
        return try await task.value
    }

    private func readAndApply() async throws -> ReloadListing {
        notifier?.reloading()
        defer { notifier?.ready() }
        do {
            let next = try BridgeConfiguration.load(from: path, drivers: DriverCatalog.drivers, instance: instance)
            let listing = await apply(next)
            logger.notice(
                "configuration reloaded",
                metadata: ["drivers": "\(listing.drivers)", "lights": "\(listing.lights)"])
            if let warning { logger.warning("configuration change deferred", metadata: ["warning": "\(warning)"]) }
            return listing
        } catch {
            warning = Self.warning("\(error)")
            logger.error("configuration rejected", metadata: ["error": "\(error)"])
            throw error
        }
    }

    private static func warning(_ fault: String) -> String {
        "the configuration is not in use, because it is wrong: \(fault)"
    }

    private func apply(_ next: BridgeConfiguration) async -> ReloadListing {
        let former = configuration
        let waiting = next.keysThatWait(comparedWith: former)
        warning =
            waiting.isEmpty
            ? nil
            : "\(waiting.joined(separator: ", ")) takes effect after a restart of lamplighterd"
        configuration.drivers = next.drivers
        configuration.lights = next.lights
        configuration.include = next.include
        configuration.bridge.eventWindow = next.bridge.eventWindow

        await useEventWindow(next.bridge.eventWindow)
        let touched = Set(former.lights.keys).union(next.lights.keys).filter { former.lights[$0] != next.lights[$0] }
        let isIncludedOtherwise = former.include != next.include
        if !touched.isEmpty || isIncludedOtherwise {
            await lights.use(next.overrides, kinds: next.include.kinds)
        }
        // Only its driver knows of a light that has been hidden since the start.
        let shownAgain = touched.filter { former.lights[$0]?.hidden == true && next.lights[$0]?.hidden != true }
        // A driver asks what is included when it starts, and tells of what it has left out until then.
        let restarting = isIncludedOtherwise ? next.drivers.map(\.id) : shownAgain.map(\.driver)
        let changes = await supervisor.use(next.drivers, restarting: Set(restarting))
        return ReloadListing(
            drivers: ReloadListing.Drivers(added: changes.added, changed: changes.changed, removed: changes.removed),
            lights: touched.map(\.description).sorted(), needsRestart: waiting)
    }
}

extension BridgeConfiguration {
    /// The part of the `lights` section that the device bridge needs.
    var overrides: [LightKey: LightOverride] {
        lights.mapValues {
            LightOverride(name: $0.name?.valid, isHidden: $0.hidden, tap: $0.tap, transition: $0.transition)
        }
    }
}
