package import DeviceKit
internal import HAPProtocol

// Drivers that come, are replaced and go.
extension DeviceBridge {
    /// How long a driver that takes another's place has to tell how its lights are.
    static let takeoverTime = Duration.seconds(5)

    /// Makes a driver known, or puts it in the place of the one with that id, which has ended; what it brings is told
    /// through ``host(for:)``.
    ///
    /// Controllers do not see the change: lights keep their state and reachability, unless the new driver says nothing of
    /// them for ``takeoverTime``.
    package func attach(_ driver: any LightDriver, as id: String) {
        let bridged = self.driver(id)
        let isReplacement = bridged.driver != nil
        bridged.driver = driver
        bridged.state = .starting
        guard isReplacement else { return }
        withdrawWarnings(of: id)
        forgetUnstored(of: id)
        let deadline = scheduler.now + Self.takeoverTime
        for (key, light) in lights where key.driver == id {
            if light.state.isReachable { unconfirmed[key] = deadline }
            // Its driver has ended: the new one does not wait for what the former one never came back from.
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

    /// A driver is no longer configured and has ended: its lights stay, out of reach.
    package func detach(_ id: String) {
        driver(id).driver = nil
        withdrawWarnings(of: id)
        forgetUnstored(of: id)
        loseLights(of: id)
    }

    /// A driver has ended by itself, for good.
    package func driverEnded(_ id: String, _ reason: String) {
        driver(id).state = .degraded(reason)
        driverStateChanged()
        warn("driver \(id) has ended: \(reason)", about: .driver(id))
        loseLights(of: id)
    }

    private func loseLights(of driver: String) {
        for (key, light) in lights where key.driver == driver && light.state.isReachable {
            reported(LightReport(reachable: false), from: key.light, by: driver)
        }
    }

    /// Where a driver tells its lights to.
    package nonisolated func host(for driver: String) -> any LightHost { DriverHost(driver: driver, bridge: self) }

    /// Waits until each driver has said how it is doing: by then it has reported the lights that it knows without asking.
    ///
    /// - Parameter limit: how long that may take.
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
