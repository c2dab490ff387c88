package import DeviceKit
internal import HAPProtocol

// Adding, replacing and removing drivers.
extension DeviceBridge {
    /// The time limit for a replacement driver to report the lights of the previous driver.
    static let takeoverTime = Duration.seconds(5)

    /// Adds a driver, or replaces the ended driver with the same id.
    ///
    /// The driver must report to the host that ``host(for:)`` returns for this id.
    ///
    /// Controllers don't notice a replacement: the lights keep their state and reachability. Lights that the new driver
    /// doesn't report within ``takeoverTime`` become unreachable.
    package func attach(_ driver: any LightDriver, as id: String) {
        let bridged = self.driver(id)
        let isReplacement = bridged.driver != nil
        bridged.driver = driver
        bridged.state = .starting
        guard isReplacement else { return }
        withdrawWarnings(of: id)
        forgetUnstored(of: id)
        forgetExcluded(of: id)
        let deadline = scheduler.now + Self.takeoverTime
        for (key, light) in lights where key.driver == id {
            if light.state.isReachable { unconfirmed[key] = deadline }
            // The previous driver has ended, so commands to the new driver don't wait for an unfinished call.
            if light.pipeline.isAbandoned { startNextCommand(light, success: false, now: scheduler.now) }
        }
        scheduler.schedule(at: deadline) { [self] in
            assumeIsolated { $0.loseUnconfirmed() }
        }
    }

    private func loseUnconfirmed() {
        let now = scheduler.now
        for (key, deadline) in unconfirmed where deadline <= now {
            reported(LightReport(reachable: false), from: key.light, by: key.driver)
        }
    }

    /// Detaches a driver that has ended and is no longer configured.
    ///
    /// Its lights remain visible and become unreachable.
    package func detach(_ id: String) {
        driver(id).driver = nil
        withdrawWarnings(of: id)
        forgetUnstored(of: id)
        forgetExcluded(of: id)
        loseLights(of: id)
    }

    /// Handles a driver that has ended permanently.
    package func driverEnded(_ id: String, _ reason: String) {
        driver(id).state = .degraded(reason)
        driverStateChanged()
        warn("driver \(id) has ended: \(reason)", about: .driver(id))
        loseLights(of: id)
    }

    private func forgetExcluded(of driver: String) {
        excluded = excluded.filter { $0.key.driver != driver }
        hiddenMeters = hiddenMeters.filter { $0.driver != driver }
    }

    private func loseLights(of driver: String) {
        for (key, light) in lights where key.driver == driver && light.state.isReachable {
            reported(LightReport(reachable: false), from: key.light, by: driver)
        }
    }

    /// Returns the host for a driver's reports.
    package nonisolated func host(for driver: String) -> any LightHost { DriverHost(driver: driver, bridge: self) }

    /// Waits until each configured driver has reported a state other than `starting`, or until the time limit.
    ///
    /// Before a driver reports such a state, it reports the lights that it knows without querying devices.
    ///
    /// - Parameter limit: The maximum time to wait.
    package func waitForDrivers(atMost limit: Duration) async {
        guard isWaitingForDriver else { return }
        scheduler.schedule(at: scheduler.now + limit) { [self] in
            assumeIsolated { $0.stopWaitingForDrivers() }
        }
        await withCheckedContinuation { waitingForDrivers.append($0) }
    }

    private var isWaitingForDriver: Bool { configuredDrivers.contains { $0.state == .starting } }

    func driverStateChanged() {
        if !waitingForDrivers.isEmpty, !isWaitingForDriver { stopWaitingForDrivers() }
    }

    private func stopWaitingForDrivers() {
        for continuation in waitingForDrivers { continuation.resume() }
        waitingForDrivers = []
    }
}
