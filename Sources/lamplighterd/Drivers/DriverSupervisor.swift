import AccessoryRole
import DeviceBridge
import DeviceKit
import Logging
import ServiceLifecycle

/// Runs the drivers. Each driver has a separate task, and can be started, replaced and stopped while the bridge is
/// running.
///
/// If a driver ends without being stopped, its lights become unreachable, and the bridge continues.
actor DriverSupervisor: Service {
    struct Running {
        let entry: DriverEntry
        let driver: any LightDriver
        fileprivate let task: Task<Void, Never>
        /// A stream that finishes when the task ends.
        ///
        /// Unlike waiting for the task, waiting for the stream can be canceled.
        fileprivate let ended: AsyncStream<Void>
    }

    /// The IDs of the drivers that a reload has changed.
    struct Changes: Equatable {
        var added: [String] = []
        var changed: [String] = []
        var removed: [String] = []
    }

    /// The maximum time to wait for drivers to stop.
    private static let timeout = Duration.milliseconds(1500)

    private let lights: DeviceBridge
    private let logger: Logger
    /// The running drivers, in the order of the configuration.
    private(set) var running: [Running] = []
    private var isEnding = false
    /// The IDs of the drivers that have ended without being stopped.
    ///
    /// The next reload of the configuration starts them again.
    private var failed: Set<String> = []

    init(lights: DeviceBridge, logger: Logger) {
        self.lights = lights
        self.logger = logger
    }

    /// Applies a new list of entries.
    ///
    /// Starts the drivers of new entries, stops the drivers of removed entries, and replaces drivers that have changed,
    /// have ended or must be restarted. Other drivers aren't affected.
    @discardableResult
    func use(_ entries: [DriverEntry], restarting: Set<String> = []) async -> Changes {
        var changes = Changes()
        let former = running
        var kept: [String: Running] = [:]
        var ended: [Running] = []
        for one in former {
            guard let entry = entries.first(where: { $0.id == one.entry.id }) else {
                changes.removed.append(one.entry.id)
                ended.append(one)
                continue
            }
            if entry.isEqual(to: one.entry), !restarting.contains(entry.id), !failed.contains(entry.id) {
                kept[entry.id] = one
            } else {
                changes.changed.append(entry.id)
                ended.append(one)
            }
        }
        await end(ended)
        for id in changes.removed { await lights.detach(id) }
        var next: [Running] = []
        for entry in entries where !isEnding {
            if let one = kept[entry.id] {
                next.append(one)
            } else {
                if !changes.changed.contains(entry.id) { changes.added.append(entry.id) }
                next.append(await start(entry))
            }
        }
        running = next
        if isEnding { await end(next) }
        return changes
    }

    private func start(_ entry: DriverEntry) async -> Running {
        var logger = logger
        logger[metadataKey: "driver"] = "\(entry.id)"
        failed.remove(entry.id)
        let driver = entry.configuration.makeDriver(logger: logger)
        await lights.attach(driver, as: entry.id)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [lights, logger] in
            defer { end.finish() }
            do {
                try await driver.run(host: lights.host(for: entry.id))
                guard !Task.isCancelled else { return }
                await hasFailed(entry.id, "it ended unexpectedly")
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("driver failed", metadata: ["error": "\(error)"])
                await hasFailed(entry.id, "\(error)")
            }
        }
        return Running(entry: entry, driver: driver, task: task, ended: ended)
    }

    private func hasFailed(_ id: String, _ reason: String) async {
        // A new driver may have replaced this driver in the meantime.
        guard !Task.isCancelled else { return }
        failed.insert(id)
        await lights.driverEnded(id, reason)
    }

    /// Stops drivers concurrently, and waits until all of them have ended or the timeout has passed.
    private func end(_ drivers: [Running]) async {
        guard !drivers.isEmpty else { return }
        for driver in drivers { driver.task.cancel() }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for driver in drivers { for await _ in driver.ended {} }
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: Self.timeout)
                return false
            }
            if await group.next() == false {
                logger.warning("driver did not stop in time", metadata: ["drivers": "\(drivers.map(\.entry.id))"])
            }
            group.cancelAll()
        }
    }

    func run() async throws {
        try? await gracefulShutdown()
        isEnding = true
        await end(running)
    }
}
