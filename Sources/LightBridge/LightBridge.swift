package import HAPAccessory
package import HAPModel
package import HAPProtocol
internal import LightKit
package import Logging

/// Between the drivers and the registry: keeps every light's state, shows it as an accessory, and sends it commands.
///
/// It runs on the registry's executor. A light once shown stays shown, out of reach if need be, until its source removes
/// it; its aid and iids are its own for ever.
package actor LightBridge: SharedExecutorActor {
    /// Changed states are written down this long after the first change, so that a busy light does not wear out a card.
    static let saveDelay = Duration.seconds(10)

    package nonisolated let executor: any SerialExecutor
    let scheduler: any Scheduler
    let registry: AccessoryRegistry
    let store: any LightStore
    let logger: Logger
    var overrides: [LightKey: LightOverride]

    /// The drivers that lights are of, also those that are not configured any more.
    private var drivers: [String: BridgedDriver] = [:]
    /// Lights whose driver has been replaced, and until when the new one may say how they are.
    var unconfirmed: [LightKey: ContinuousClock.Instant] = [:]
    var warningsBySubject: [String: String] = [:]
    var lights: [LightKey: BridgedLight] = [:]
    var lightsByAID: [AccessoryID: BridgedLight] = [:]
    /// Lights that are not shown, with the aids that wait for them.
    var absent: [LightKey: StoredLight] = [:]
    /// Lights that are to be taken over once they can be stored.
    var unstored: [LightKey: UnstoredLight] = [:]
    /// Lights that have gone, and are there in the store until it can be written.
    var unstoredGoings: Set<LightKey> = []
    /// The lights for which a further attempt is scheduled.
    var retries: Set<LightKey> = []
    var highestAID = AccessoryID.bridge
    /// Lights come, change and go one after the other.
    let structureMutex = AsyncMutex()
    var waiters = CommandWaiters()
    private var wakeAt: ContinuousClock.Instant?
    private var unsaved: [BridgedLight] = []
    private var saveIsDue = false
    var watchers: [Int: AsyncStream<LightEvent>.Continuation] = [:]
    var lastWatcher = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a bridge without lights.
    ///
    /// - Parameters:
    ///   - executor: the registry's.
    ///   - scheduler: the executor's clock.
    ///   - registry: where accessories are shown.
    ///   - store: where lights are remembered.
    ///   - overrides: what the operator wants otherwise.
    ///   - logger: where faults are told.
    package init(
        executor: any SerialExecutor, scheduler: any Scheduler, registry: AccessoryRegistry,
        store: any LightStore, overrides: [LightKey: LightOverride], logger: Logger
    ) {
        self.executor = executor
        self.scheduler = scheduler
        self.registry = registry
        self.store = store
        self.overrides = overrides
        self.logger = logger
    }

    // MARK: Drivers

    /// The drivers that are configured.
    var configuredDrivers: [BridgedDriver] { drivers.values.filter { $0.driver != nil }.sorted { $0.id < $1.id } }

    /// The driver of this id, configured or not.
    func driver(_ id: String) -> BridgedDriver {
        if let driver = drivers[id] { return driver }
        let driver = BridgedDriver(id)
        drivers[id] = driver
        return driver
    }

    // MARK: Lights that are there

    /// Shows the lights of the last run, out of reach until their drivers report them: controllers must never read a
    /// database that is not complete yet (HAP 1.3).
    package func restore(_ stored: [StoredLight]) async {
        for light in stored.sorted(by: { $0.aid < $1.aid }) {
            highestAID = max(highestAID, light.aid)
            if light.isRemoved || overrides[light.key]?.isHidden == true {
                absent[light.key] = light
            } else if lights.count == Self.maximumLights {
                // Lights that were hidden come back into a house that is full.
                absent[light.key] = light
                warnOfTooMany(light.key)
            } else {
                var state = LightState()
                if let report = light.state { state.apply(report) }
                state.isReachable = false
                await show(light.key, light.aid, light.description, light.instanceIDs, state)
            }
        }
    }

    // MARK: What lights say

    func reported(_ reports: [(light: LightID, report: LightReport)], by driver: String) {
        for (light, report) in reports { reported(report, from: light, by: driver) }
    }

    func reported(_ report: LightReport, from id: LightID, by driver: String) {
        let key = LightKey(driver: driver, light: id)
        guard let light = lights[key] else {
            unstored[key]?.report.merge(report)
            return
        }
        if !unconfirmed.isEmpty { unconfirmed[key] = nil }
        let former = light.state
        if report.isSpontaneous { light.pipeline.superseded() }
        light.state.apply(light.pipeline.reported(report, now: scheduler.now))
        var givenUp: [CommandWaiters.Then] = []
        if report.reachable == false {
            light.pipeline.reset()
            givenUp = waiters.take(light.ticketsWaiting)
            light.ticketsWaiting = []
        }
        wakeWhenSettled(light)
        // What a light says while a command is under way is that command's doing.
        tell(light, former: former, origin: light.pipeline.underWay == nil ? .device : light.origin)
        for then in givenUp { then(.unableToCommunicate) }
    }

    /// Tells what is true of a light now; what is only wanted is the registry's to show.
    private func tell(_ light: BridgedLight, former: LightState, origin: LightEvent.Origin) {
        let state = light.state
        if state != former {
            save(light)
            if !watchers.isEmpty {
                let event = LightEvent(light: snapshot(light), origin: origin)
                for watcher in watchers.values { watcher.yield(event) }
            }
        }
        // Also if nothing has changed: what comes of a command may differ from what was written (Brightness 0).
        guard state != light.told else { return }
        light.told = state
        let values = light.adapter.values(of: state)
        let aid = light.aid
        // Within this call: the registry runs on the same executor.
        if state.isReachable != former.isReachable {
            registry.here((aid, state.isReachable)) { $0.setReachable($1.1, $1.0) }
        }
        registry.here((aid, values)) { $0.update($1.0, $1.1) }
    }

    func lastKnown(_ id: LightID, of driver: String) -> LightReport? {
        let key = LightKey(driver: driver, light: id)
        if let light = lights[key] { return light.report }
        return absent[key]?.state
    }

    func knownLights(of driver: String) -> [LightID] {
        lights.keys.filter { $0.driver == driver }.map(\.light)
    }

    func reported(_ state: DriverState, of driver: String) {
        let bridged = self.driver(driver)
        guard bridged.state != state else { return }
        bridged.state = state
        logger.info("driver state", metadata: ["driver": "\(driver)", "state": "\(state.words)"])
    }

    func warn(_ warning: String?, about key: LightKey) { warn(warning, about: key.description, about(key)) }

    func warn(_ warning: String?, about subject: String, of driver: String) {
        warn(warning, about: subject, ["driver": "\(driver)"])
    }

    private func warn(_ warning: String?, about subject: String, _ metadata: Logger.Metadata) {
        guard warningsBySubject[subject] != warning else { return }
        if let warning, warningsBySubject.count < 1000 {
            warningsBySubject[subject] = warning
            logger.warning("\(warning)", metadata: metadata)
        } else {
            warningsBySubject[subject] = nil
        }
    }

    /// What the log says an event is about.
    func about(_ key: LightKey) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["light": "\(key)", "driver": "\(key.driver)"]
        if let light = lights[key] { metadata["aid"] = "\(light.aid)" }
        return metadata
    }

    // MARK: What lights are told

    /// Sends a command.
    ///
    /// - Parameters:
    ///   - command: what is asked; with nothing in it, it has succeeded.
    ///   - light: a light that is shown.
    ///   - origin: who asks.
    ///   - then: called once on the bridge's executor, within this call if the driver is done at once, in 2 s at the latest.
    func send(
        _ command: LightCommand, to light: BridgedLight, origin: LightEvent.Origin,
        then: @escaping CommandWaiters.Then
    ) {
        guard light.state.isReachable, let driver = light.driver.driver else {
            return then(.unableToCommunicate)
        }
        guard !command.isEmpty else { return then(.success) }
        let ticket = waiters.ticket(then)
        light.origin = origin
        light.told = nil
        if let next = light.pipeline.wanted(command) {
            light.ticketsUnderWay.append(ticket)
            start(next, on: light, by: driver)
        } else {
            light.ticketsWaiting.append(ticket)
        }
        if let deadline = waiters.wait(ticket, now: scheduler.now) { wake(at: deadline) }
    }

    private func start(_ command: LightCommand, on light: BridgedLight, by driver: any LightDriver) {
        light.command += 1
        light.commandDeadline = scheduler.now + CommandWaiters.deadline
        let number = light.command
        // It begins within this call; most drivers are done before it returns, and no other thread is woken.
        let task = Task.immediate {
            var status = HAPStatus.success
            do throws(LightError) {
                try await driver.apply(command.forDriver, to: light.key.light)
            } catch {
                status = HAPStatus(error)
            }
            ended(command, number, on: light, status)
        }
        if light.command == number, light.pipeline.underWay != nil { light.task = task }
    }

    private func ended(_ command: LightCommand, _ number: Int, on light: BridgedLight, _ status: HAPStatus) {
        guard !light.isRemoved, light.command == number, light.pipeline.underWay != nil else { return }
        let now = scheduler.now
        if let deadline = light.commandDeadline {
            let began = deadline - CommandWaiters.deadline
            light.driver.commands.ended(status, after: now - began)
        }
        let former = light.state
        if status == .success { light.state.apply(command) }
        let next = light.pipeline.ended(success: status == .success, now: now)
        let answered = waiters.take(light.ticketsUnderWay)
        swap(&light.ticketsUnderWay, &light.ticketsWaiting)
        light.ticketsWaiting.removeAll(keepingCapacity: true)
        light.task = nil
        light.commandDeadline = nil
        if status == .success { tell(light, former: former, origin: light.origin) }
        for then in answered { then(status) }
        if let next, let driver = light.driver.driver, !light.isRemoved { start(next, on: light, by: driver) }
        wakeWhenSettled(light)
    }

    // MARK: Time

    private func wakeWhenSettled(_ light: BridgedLight) {
        if let time = light.pipeline.wakeAt { wake(at: time) }
    }

    private func wake(at time: ContinuousClock.Instant) {
        if let wakeAt, wakeAt <= time { return }
        wakeAt = time
        scheduler.schedule(at: time) { [self] in
            assumeIsolated { $0.woke() }
        }
    }

    private func woke() {
        let now = scheduler.now
        guard let due = wakeAt, due <= now else { return }
        wakeAt = nil
        let (over, next) = waiters.expire(now: now)
        if let next { wake(at: next) }
        for then in over { then(.timedOut) }
        for light in Array(lights.values) where !light.isRemoved {
            if let deadline = light.commandDeadline {
                if deadline <= now {
                    // The driver has not answered: whoever still waits is told, and the next command may try.
                    light.task?.cancel()
                    logger.info("a light has not answered in time", metadata: about(light.key))
                    ended(light.pipeline.underWay ?? LightCommand(), light.command, on: light, .timedOut)
                } else {
                    wake(at: deadline)
                }
            } else if let report = light.pipeline.settled(now: now) {
                let former = light.state
                light.state.apply(report)
                tell(light, former: former, origin: .device)
            } else {
                wakeWhenSettled(light)
            }
        }
    }

    // MARK: Remembering

    private func save(_ light: BridgedLight) {
        guard !light.isUnsaved else { return }
        light.isUnsaved = true
        unsaved.append(light)
        guard !saveIsDue else { return }
        saveIsDue = true
        scheduler.schedule(at: scheduler.now + Self.saveDelay) { [self] in
            Task.immediate { await saveStates() }
        }
    }

    /// Writes down the states that have changed since the last time.
    package func saveStates() async {
        saveIsDue = false
        let changed = unsaved.filter { !$0.isRemoved }
        unsaved = []
        for light in changed { light.isUnsaved = false }
        guard !changed.isEmpty else { return }
        do {
            try await store.save(states: Dictionary(changed.map { ($0.key, $0.report) }, uniquingKeysWith: { $1 }))
        } catch {
            logger.error("the lights' states cannot be stored", metadata: ["error": "\(error)"])
            for light in changed { save(light) }
        }
    }
}

extension LightBridge: AccessorySource {
    package nonisolated func write(
        _ values: [CharacteristicWrite], to accessory: AccessoryID, then: @escaping @Sendable (HAPStatus) -> Void
    ) {
        here(WriteOrder(values: values, accessory: accessory, then: then)) { $0.write($1) }
    }

    /// What a controller writes to a light, and who waits for it.
    private struct WriteOrder: Sendable {
        let values: [CharacteristicWrite]
        let accessory: AccessoryID
        let then: CommandWaiters.Then
    }

    private func write(_ order: WriteOrder) {
        guard let light = lightsByAID[order.accessory] else { return order.then(.doesNotExist) }
        let command = LightbulbAdapter.command(for: order.values, state: light.shown)
        send(command, to: light, origin: .controller, then: order.then)
    }

    package nonisolated func identify(_ accessory: AccessoryID) { here(accessory) { $0.blink($1) } }

    private func blink(_ accessory: AccessoryID) {
        guard let light = lightsByAID[accessory], let driver = light.driver.driver else { return }
        logger.info("identify", metadata: about(light.key))
        // Nobody waits for a light to blink; one that never stops does it once.
        light.identification?.cancel()
        let task = Task<Void, Never> { [id = light.key.light] in try? await driver.identify(id) }
        light.identification = task
        scheduler.schedule(at: scheduler.now + CommandWaiters.deadline) { task.cancel() }
    }
}

extension LightCommand {
    /// The command in the range that drivers are promised: HomeKit's 360 degrees are their 0.
    var forDriver: LightCommand {
        guard case .hueSaturation(let hue, let saturation)? = color, hue >= 360 else { return self }
        var command = self
        command.color = .hueSaturation(hue: 0, saturation: saturation)
        return command
    }
}

extension HAPStatus {
    /// What a controller is told of a light's error.
    init(_ error: LightError) {
        self =
            switch error {
            case .unreachable: .unableToCommunicate
            case .busy: .busy
            case .unknownLight: .doesNotExist
            case .refused: .unableToCommunicate
            }
    }
}
