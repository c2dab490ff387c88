package import HAPModel
package import HAPProtocol
internal import LightKit
package import Logging

/// Between the drivers and the registry: keeps every light's state, shows it as an accessory, and sends it commands.
///
/// It runs on the registry's executor. A light once shown stays shown, out of reach if need be, until its source removes
/// it; its aid and iids are its own for ever.
package actor LightBridge {
    struct Light {
        let aid: AccessoryID
        var adapter: LightbulbAdapter
        var state: LightState
        var pipeline = CommandPipeline()
        /// The requests whose values the command under way carries, and those of the one that waits.
        var ticketsUnderWay: [Int] = []
        var ticketsWaiting: [Int] = []
        /// Counts the commands, so that an answer that comes too late is known as such.
        var command = 0
        var commandDeadline: ContinuousClock.Instant?
        var task: Task<Void, Never>?
        var identification: Task<Void, Never>?
        var origin = LightEvent.Origin.device

        /// The state if all commands that are wanted succeed: what controllers are shown.
        var shown: LightState {
            var shown = state
            if let underWay = pipeline.underWay { shown.apply(underWay) }
            if let waiting = pipeline.waiting { shown.apply(waiting) }
            return shown
        }
    }

    /// Changed states are written down this long after the first change, so that a busy light does not wear out a card.
    static let saveDelay = Duration.seconds(10)

    /// The most lights; the bridge itself is an accessory, too.
    static let maximumLights = AccessoryRegistry.maximumAccessories - 1

    private let executor: any SerialExecutor
    let scheduler: any Scheduler
    let registry: AccessoryRegistry
    let store: any AccessoryServerStore
    let logger: Logger
    var overrides: [LightKey: LightOverride]

    var drivers: [String: any LightDriver] = [:]
    var driverStates: [String: DriverState] = [:]
    /// Lights whose driver has been replaced, and until when the new one may say how they are.
    var unconfirmed: [LightKey: ContinuousClock.Instant] = [:]
    var warningsBySubject: [String: String] = [:]
    var lights: [LightKey: Light] = [:]
    var keys: [AccessoryID: LightKey] = [:]
    /// Lights that are not shown, with the aids that wait for them.
    var absent: [LightKey: StoredLight] = [:]
    var highestAID = AccessoryID.bridge
    /// Lights come, change and go one after the other.
    var structureTurns = Turns()
    var waiters = CommandWaiters()
    private var wakeAt: ContinuousClock.Instant?
    private var unsaved: Set<LightKey> = []
    private var saveIsDue = false
    var watchers: [Int: AsyncStream<LightEvent>.Continuation] = [:]
    var lastWatcher = 0
    /// What became of the commands that drivers were given.
    var commandStatistics: [String: OutcomeStatistics<HAPStatus>] = [:]

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
        store: any AccessoryServerStore, overrides: [LightKey: LightOverride], logger: Logger
    ) {
        self.executor = executor
        self.scheduler = scheduler
        self.registry = registry
        self.store = store
        self.overrides = overrides
        self.logger = logger
    }

    // MARK: Lights that are there

    /// Shows the lights of the last run, out of reach until their drivers report them: controllers must never read a
    /// database that is not complete yet (hap.md 1.3).
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

    func reported(_ report: LightReport, from id: LightID, by driver: String) async {
        let key = LightKey(driver: driver, light: id)
        guard var light = lights[key] else { return }
        unconfirmed[key] = nil
        let former = light.state
        if report.isSpontaneous { light.pipeline.superseded() }
        light.state.apply(light.pipeline.reported(report, now: scheduler.now))
        var given: [Int] = []
        if report.reachable == false {
            light.pipeline.reset()
            swap(&given, &light.ticketsWaiting)
        }
        lights[key] = light
        waiters.answer(given, .unableToCommunicate)
        wakeWhenSettled(light)
        // What a light says while a command is under way is that command's doing.
        await tell(key, light, former: former, origin: light.pipeline.underWay == nil ? .device : light.origin)
    }

    /// Tells what is true of a light now; what is only wanted is the registry's to show.
    private func tell(_ key: LightKey, _ light: Light, former: LightState, origin: LightEvent.Origin) async {
        if light.state.isReachable != former.isReachable {
            await registry.setReachable(light.state.isReachable, light.aid)
        }
        if light.state != former {
            unsaved.insert(key)
            scheduleSave()
            if !watchers.isEmpty {
                let event = LightEvent(light: snapshot(key, light), origin: origin)
                for watcher in watchers.values { watcher.yield(event) }
            }
        }
        // Also if nothing has changed: what comes of a command may differ from what was written (Brightness 0).
        await registry.update(light.aid, light.adapter.values(of: light.state))
    }

    func lastKnown(_ id: LightID, of driver: String) -> LightReport? {
        let key = LightKey(driver: driver, light: id)
        if let light = lights[key] { return light.state.report(for: light.adapter.description.capabilities) }
        return absent[key]?.state
    }

    func knownLights(of driver: String) -> [LightID] {
        lights.keys.filter { $0.driver == driver }.map(\.light)
    }

    func reported(_ state: DriverState, of driver: String) {
        guard driverStates[driver] != state else { return }
        driverStates[driver] = state
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

    func send(_ command: LightCommand, to key: LightKey, origin: LightEvent.Origin) async -> HAPStatus {
        guard var light = lights[key] else { return .doesNotExist }
        guard light.state.isReachable, drivers[key.driver] != nil else { return .unableToCommunicate }
        guard !command.isEmpty else { return .success }
        let ticket = waiters.ticket()
        light.origin = origin
        if let next = light.pipeline.wanted(command) {
            light.ticketsUnderWay = [ticket]
            lights[key] = light
            start(next, on: key)
        } else {
            light.ticketsWaiting.append(ticket)
            lights[key] = light
        }
        if let status = waiters.takeAnswer(ticket) { return status }
        return await withCheckedContinuation { continuation in
            waiters.wait(ticket, continuation, now: scheduler.now)
            wake(at: scheduler.now + CommandWaiters.deadline)
        }
    }

    private func start(_ command: LightCommand, on key: LightKey) {
        guard let driver = drivers[key.driver], lights[key] != nil else { return }
        lights[key]?.command += 1
        lights[key]?.commandDeadline = scheduler.now + CommandWaiters.deadline
        let number = lights[key]?.command ?? 0
        // It begins within this call; most drivers are done before it returns, and no other thread is woken.
        let task = Task.immediate {
            var status = HAPStatus.success
            do throws(LightError) {
                try await driver.apply(command.forDriver, to: key.light)
            } catch {
                status = HAPStatus(error)
            }
            await ended(command, number, on: key, status)
        }
        if lights[key]?.command == number, lights[key]?.pipeline.underWay != nil { lights[key]?.task = task }
    }

    private func ended(_ command: LightCommand, _ number: Int, on key: LightKey, _ status: HAPStatus) async {
        guard var light = lights[key], light.command == number, light.pipeline.underWay != nil else { return }
        let now = scheduler.now
        if let deadline = light.commandDeadline {
            let began = deadline - CommandWaiters.deadline
            commandStatistics[key.driver, default: OutcomeStatistics()].ended(status, after: now - began)
        }
        let former = light.state
        if status == .success { light.state.apply(command) }
        let next = light.pipeline.ended(success: status == .success, now: now)
        let tickets = light.ticketsUnderWay
        light.ticketsUnderWay = light.ticketsWaiting
        light.ticketsWaiting = []
        light.task = nil
        light.commandDeadline = nil
        lights[key] = light
        if status == .success { await tell(key, light, former: former, origin: light.origin) }
        waiters.answer(tickets, status)
        if let next { start(next, on: key) }
        if let current = lights[key] { wakeWhenSettled(current) }
    }

    // MARK: Time

    private func wakeWhenSettled(_ light: Light) {
        if let time = light.pipeline.wakeAt { wake(at: time) }
    }

    private func wake(at time: ContinuousClock.Instant) {
        if let wakeAt, wakeAt <= time { return }
        wakeAt = time
        scheduler.schedule(at: time) { [self] in
            Task.immediate { await woke() }
        }
    }

    private func woke() async {
        let now = scheduler.now
        guard let due = wakeAt, due <= now else { return }
        wakeAt = nil
        if let next = waiters.expire(now: now) { wake(at: next) }
        for key in Array(lights.keys) {
            guard var light = lights[key] else { continue }
            if let deadline = light.commandDeadline {
                if deadline <= now {
                    // The driver has not answered: whoever still waits is told, and the next command may try.
                    light.task?.cancel()
                    logger.info("a light has not answered in time", metadata: about(key))
                    await ended(light.pipeline.underWay ?? LightCommand(), light.command, on: key, .timedOut)
                } else {
                    wake(at: deadline)
                }
            } else if let report = light.pipeline.settled(now: now) {
                let former = light.state
                light.state.apply(report)
                lights[key] = light
                await tell(key, light, former: former, origin: .device)
            } else {
                wakeWhenSettled(light)
            }
        }
    }

    // MARK: Remembering

    private func scheduleSave() {
        guard !saveIsDue else { return }
        saveIsDue = true
        scheduler.schedule(at: scheduler.now + Self.saveDelay) { [self] in
            Task.immediate { await saveStates() }
        }
    }

    /// Writes down the states that have changed since the last time.
    package func saveStates() async {
        saveIsDue = false
        var states: [LightKey: LightReport] = [:]
        for key in unsaved {
            guard let light = lights[key] else { continue }
            states[key] = light.state.report(for: light.adapter.description.capabilities)
        }
        unsaved = []
        guard !states.isEmpty else { return }
        do {
            try await store.save(states: states)
        } catch {
            logger.error("the lights' states cannot be stored", metadata: ["error": "\(error)"])
            unsaved.formUnion(states.keys)
            scheduleSave()
        }
    }
}

extension LightBridge: AccessorySource {
    package func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus {
        guard let key = keys[accessory], let light = lights[key] else { return .doesNotExist }
        return await send(light.adapter.command(for: values, state: light.shown), to: key, origin: .controller)
    }

    package func identify(_ accessory: AccessoryID) async {
        guard let key = keys[accessory], let driver = drivers[key.driver] else { return }
        logger.info("identify", metadata: about(key))
        // Nobody waits for a light to blink; one that never stops does it once.
        lights[key]?.identification?.cancel()
        lights[key]?.identification = Task { try? await driver.identify(key.light) }
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
