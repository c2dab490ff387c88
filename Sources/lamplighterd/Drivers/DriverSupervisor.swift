import AccessoryRole
import DeviceBridge
import DeviceKit
import Logging
import ServiceLifecycle

/// The drivers at work: each has a task of its own, and is started, replaced and ended while the bridge runs.
///
/// A driver that ends by itself leaves its lights out of reach, and the bridge goes on.
actor DriverSupervisor: Service {
    struct Running {
        let entry: DriverEntry
        let driver: any LightDriver
        fileprivate let task: Task<Void, Never>
        /// Finishes with the task; waiting for it can be given up.
        fileprivate let ended: AsyncStream<Void>
    }

    /// The ids of the drivers that a reload has touched.
    struct Changes: Equatable {
        var added: [String] = []
        var changed: [String] = []
        var removed: [String] = []
    }

    /// A driver that does not end when it is told to is not waited for any longer.
    private static let timeout = Duration.milliseconds(1500)

    private let lights: DeviceBridge
    private let logger: Logger
    /// In the order of the configuration.
    private(set) var running: [Running] = []
    private var isEnding = false
    /// Drivers that have ended by themselves; the next reload starts them again.
    private var failed: Set<String> = []

    init(lights: DeviceBridge, logger: Logger) {
        self.lights = lights
        self.logger = logger
    }

    /// Starts new drivers and those that have ended, ends removed ones, replaces changed ones and those to restart, and
    /// leaves the rest alone.
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
                await hasFailed(entry.id, "it has ended by itself")
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("driver failed", metadata: ["error": "\(error)"])
                await hasFailed(entry.id, "\(error)")
            }
        }
        return Running(entry: entry, driver: driver, task: task, ended: ended)
    }

    private func hasFailed(_ id: String, _ reason: String) async {
        // Its place may have been given to another in the meantime.
        guard !Task.isCancelled else { return }
        failed.insert(id)
        await lights.driverEnded(id, reason)
    }

    /// Ends drivers side by side, so that the slowest alone decides how long it takes.
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
