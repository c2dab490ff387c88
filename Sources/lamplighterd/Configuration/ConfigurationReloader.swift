import AccessoryRole
import BridgeControl
import ConfigurationKit
import DaemonKit
import DeviceBridge
import LightDrivers
import Logging
import YAMLKit

/// Reloads the configuration file and applies it to the running bridge. Sessions aren't interrupted.
///
/// If the file is invalid, the configuration in use is unchanged. Properties of the bridge itself, such as its name,
/// port and interfaces, can't change while controllers are connected. Changes of such properties are reported, and take
/// effect after a restart.
actor ConfigurationReloader {
    private let path: String
    private let instance: String
    private let useEventWindow: @Sendable (Duration) async -> Void
    private let lights: DeviceBridge
    private let supervisor: DriverSupervisor
    private let notifier: ServiceNotifier?
    private let logger: Logger

    /// The configuration in use.
    private(set) var configuration: BridgeConfiguration
    /// The reason why the file was rejected, or a sentence about the changed keys that require a restart.
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

    /// The warnings about the configuration file; empty if the whole file is in use.
    var warnings: [String] { warning.map { [$0] } ?? [] }

    /// Reads the file and applies it.
    ///
    /// Concurrent reloads run in order.
    ///
    /// - Throws: `ConfigurationError` or `ConfigurationFileError`. In that case, the configuration in use is unchanged.
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
        "the configuration isn't used because it is invalid: \(fault)"
    }

    private func apply(_ next: BridgeConfiguration) async -> ReloadListing {
        let former = configuration
        let waiting = next.keysThatWait(comparedWith: former)
        warning =
            waiting.isEmpty
            ? nil
            : "\(waiting.joined(separator: ", ")) \(waiting.count == 1 ? "takes" : "take") effect after a restart of "
                + "lamplighterd"
        configuration.drivers = next.drivers
        configuration.lights = next.lights
        configuration.include = next.include
        configuration.bridge.eventWindow = next.bridge.eventWindow
        configuration.bridge.allowsPageBackups = next.bridge.allowsPageBackups

        await useEventWindow(next.bridge.eventWindow)
        let touched = Set(former.lights.keys).union(next.lights.keys).filter { former.lights[$0] != next.lights[$0] }
        let isIncludedOtherwise = former.include != next.include
        if !touched.isEmpty || isIncludedOtherwise {
            await lights.use(next.overrides, kinds: next.include.kinds)
        }
        // The bridge doesn't know lights that were hidden when their driver started. Restart the driver to add them.
        let shownAgain = touched.filter { former.lights[$0]?.hidden == true && next.lights[$0]?.hidden != true }
        // A driver reads the included kinds when it starts. Restart it to add lights that it has omitted because of
        // their kind.
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
            LightOverride(
                name: $0.name?.valid, isHidden: $0.hidden, tap: $0.tap, transition: $0.transition,
                thresholds: $0.thresholds)
        }
    }
}
