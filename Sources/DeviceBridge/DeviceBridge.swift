package import AccessoryRole
package import DeviceKit
package import HAPModel
package import HAPProtocol
package import Logging

/// The bridge between drivers and accessory servers.
///
/// It keeps the state of every light, publishes the light as an accessory, and sends commands to its driver.
///
/// `BridgedLight.state` is the only record of a light's state: the values that its driver has reported or accepted. The
/// server shows a written value earlier, while the command is running. The bridge and the servers run on the same
/// executor, so calls between them don't suspend.
///
/// A published light stays published, even if it becomes unreachable, until its source removes it. Its bridge, aid and
/// iids never change.
package actor DeviceBridge {
    /// The time between a state change and storing it, so that a frequently changing light doesn't wear out an SD card.
    static let saveDelay = Duration.seconds(10)

    private nonisolated let executor: any SerialExecutor
    let scheduler: any Scheduler
    /// The servers by bridge number, from 1.
    package internal(set) var servers: [Int: AccessoryServer]
    /// A function that opens another bridge, or `nil` if only one bridge is allowed.
    let open: BridgeOpener?
    let store: any LightStore
    /// The time since 2001-01-01T00:00Z.
    let wallClock: @Sendable () -> Duration
    let logger: Logger
    var overrides: [LightKey: LightOverride]
    /// The kinds of lights to show.
    var kinds: Set<LightKind>
    /// The reported devices of other kinds, up to a limit.
    var excluded: [LightKey: LightKind] = [:]
    /// The devices of included kinds whose meters aren't shown.
    var hiddenMeters: Set<LightKey> = []

    /// The drivers of all lights, including drivers that are no longer configured.
    private var drivers: [String: BridgedDriver] = [:]
    /// The lights of a replaced driver that the new driver hasn't reported yet, with the times at which they become
    /// unreachable.
    var unconfirmed: [LightKey: ContinuousClock.Instant] = [:]
    var warningsBySubject: [WarningSubject: String] = [:]
    var lights: [LightKey: BridgedLight] = [:]
    var lightsByAID: [AccessoryID: BridgedLight] = [:]
    /// The number of visible lights on each bridge.
    package internal(set) var lightCounts: [Int: Int] = [:]
    /// The names of the visible lights.
    var names: Set<String> = []
    /// The stored lights that aren't visible, with their reserved aids.
    var absent: [LightKey: StoredLight] = [:]
    /// The lights to add or change once they can be stored or there is room for them.
    var unstored: [LightKey: UnstoredLight] = [:]
    /// The removed lights whose removal couldn't be stored yet.
    var unsavedRemovals: Set<LightKey> = []
    /// The lights whose addition, change or removal will be retried.
    var retries: Set<LightKey> = []
    var highestAID = AccessoryID.bridge
    /// Serializes adding, changing and removing lights.
    let structureMutex = AsyncMutex()
    /// The requests that wait for a light.
    ///
    /// They are sorted by deadline, because all requests have the same timeout.
    private var waiters: [CommandWaiter] = []
    private var wakeAt: ContinuousClock.Instant?
    private var unsaved: [BridgedLight] = []
    private var saveIsDue = false
    /// The callers that wait until no driver is starting.
    var waitingForDrivers: [CheckedContinuation<Void, Never>] = []
    var watchers: [Int: AsyncStream<LightEvent>.Continuation] = [:]
    var lastWatcher = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a bridge without lights.
    ///
    /// - Parameters:
    ///   - executor: The executor of all servers.
    ///   - scheduler: The executor's clock.
    ///   - servers: The servers by bridge number, from 1.
    ///   - open: A function that opens another bridge, which is called when all are full.
    ///   - store: The storage for lights.
    ///   - overrides: The operator's settings for single lights.
    ///   - kinds: The kinds of lights to show.
    ///   - wallClock: The time of day, since 2001-01-01T00:00Z.
    ///   - logger: The logger.
    package init(
        executor: any SerialExecutor, scheduler: any Scheduler, servers: [Int: AccessoryServer],
        open: BridgeOpener? = nil, store: any LightStore, overrides: [LightKey: LightOverride],
        kinds: Set<LightKind> = Set(LightKind.allCases), wallClock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        precondition(
            servers.values.allSatisfy { $0.executor === executor },
            "the bridge and its servers must share an executor, so that calls between them don't wait in its queue")
        self.executor = executor
        self.scheduler = scheduler
        self.servers = servers
        self.open = open
        self.store = store
        self.overrides = overrides
        self.kinds = kinds
        self.wallClock = wallClock
        self.logger = logger
    }

    // MARK: Drivers

    /// The configured drivers.
    var configuredDrivers: [BridgedDriver] { drivers.values.filter { $0.driver != nil }.sorted { $0.id < $1.id } }

    /// Returns the driver with this id, configured or not.
    func driver(_ id: String) -> BridgedDriver {
        if let driver = drivers[id] { return driver }
        let driver = BridgedDriver(id)
        drivers[id] = driver
        return driver
    }

    // MARK: Restoring lights

    /// Publishes the lights of the last run, because controllers must never read an incomplete database (HAP 1.3).
    ///
    /// The lights are unreachable until their drivers report them.
    package func restore(_ stored: StoredBridge) async {
        highestAID = stored.highestAID
        for light in stored.lights.sorted(by: { $0.aid < $1.aid }) {
            let description = light.description.including(kinds)
            guard !light.isRemoved, isShown(light.key, description) else {
                absent[light.key] = light
                continue
            }
            guard let server = servers[light.bridge], hasRoom(light.bridge) else {
                // The light was hidden, and another light took its place. It gets a new place when its driver
                // announces it.
                absent[light.key] = light
                warnOfTooMany(light.key)
                continue
            }
            await show(
                light.key, (light.bridge, server), light.aid, description, light.instanceIDs, light.state,
                transition: light.transition, isRestored: true)
        }
        await limitRemovedLights()
    }

    // MARK: Reports

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
        var report = report
        if !kinds.contains(.meter) { report.removeMeter() }
        let (values, invalid) = light.adapter.limits.canonical(report.values)
        report.values = values
        light.adapter.rules.complete(&report.values, over: { light.wanted })
        light.adapter.limits.adaptTarget(in: &report.values)
        if invalid > 0 { dropped(invalid, .invalid, by: driver) }
        // A meter's readings don't confirm commands, and aren't stored for a restart.
        if report.areOfMeter, report.reachable == nil {
            return change(light, by: .device, isLasting: false) { $0.apply(report.values, light.adapter.rules) }
        }
        let isRepetition = light.pipeline.removeTarget(from: &report, over: light.wanted)
        if report.isSpontaneous, !isRepetition { light.pipeline.superseded() }
        let accepted = light.pipeline.reported(report, now: scheduler.now)
        if let target = light.adapter.rules.reaction?.target, accepted.values.contains(target) {
            light.formerTarget = nil
        }
        if light.transition != nil, let color = accepted.color { endTransition(of: light, color) }
        // A report that arrives while a command is running is considered a result of that command.
        change(light, by: light.pipeline.underWay == nil ? .device : light.origin) { state in
            state.apply(accepted, light.adapter.rules)
        }
        confirmRuns(of: light, by: report)
        var givenUp: [CommandWaiter] = []
        if report.reachable == false {
            light.pipeline.reset()
            rest(light)
            swap(&givenUp, &light.waitersWaiting)
        }
        wakeWhenCompleted(light)
        for waiter in givenUp { waiter.give(.unableToCommunicate) }
        advanceTransition(of: light)
    }

    /// Sends momentary events to subscribers.
    ///
    /// Events of hidden devices are ignored.
    func occurred(_ events: PropertyValues, on id: LightID, by driver: String) {
        guard let light = lights[LightKey(driver: driver, light: id)] else { return }
        var sent = PropertyValues()
        for (property, value) in events {
            guard let event = light.adapter.event(property, value) else {
                dropped(1, .invalid, by: driver)
                continue
            }
            sent[property] = event.1
            light.server.assumeIsolated { [aid = light.aid] in $0.update(aid, [event]) }
        }
        guard !sent.isEmpty else { return }
        light.lastEvents.merge(sent)
        if !watchers.isEmpty { watched(LightEvent(light: snapshot(light), events: sent, origin: .device)) }
    }

    private func watched(_ event: LightEvent) {
        for watcher in watchers.values { watcher.yield(event) }
    }

    /// Changes a light's state, publishes it and stores it later.
    ///
    /// - Parameters:
    ///   - light: The light.
    ///   - origin: The cause of the change.
    ///   - isLasting: Whether to store the state.
    ///   - apply: Changes the state, and returns whether it has changed.
    func change(
        _ light: BridgedLight, by origin: LightEvent.Origin, isLasting: Bool = true,
        _ apply: (inout DeviceState) -> Bool
    ) {
        let wasReachable = light.state.isReachable
        let level = light.isQuiet && origin == .adaptiveLighting ? light.level : nil
        guard apply(&light.state) else { return }
        updateRuns(of: light, after: origin)
        updateResets(of: light)
        if isLasting { save(light) }
        if !watchers.isEmpty { watched(LightEvent(light: snapshot(light), origin: origin)) }
        let isReachable = light.state.isReachable
        // A light that becomes reachable again sends all its values, so no additional events are needed. A change of
        // power or brightness during an adaptive lighting command isn't a result of that command, so it is sent.
        let isQuiet = isReachable && !wasReachable || level.map { $0 == light.level } ?? false
        show(light, isQuiet: isQuiet, isReachable: isReachable != wasReachable ? isReachable : nil)
    }

    /// Publishes a light's state on the server.
    ///
    /// It doesn't suspend, because the bridge and the server run on the same executor.
    ///
    /// - Parameters:
    ///   - light: The light.
    ///   - isQuiet: Whether to send no events to subscribers.
    ///   - isReachable: The device's reachability, if it has changed.
    func show(_ light: BridgedLight, isQuiet: Bool = false, isReachable: Bool? = nil) {
        light.isShown = true
        let (aid, values) = (light.aid, light.adapter.values(of: light.state))
        let unknown = light.adapter.unknownReadings(in: light.state)
        light.server.assumeIsolated { server in
            if !unknown.isEmpty { server.forget(aid, unknown) }
            server.update(aid, values, isQuiet: isQuiet)
            if let isReachable { server.setReachable(isReachable, aid) }
        }
    }

    func lastKnown(_ id: LightID, of driver: String) -> LightReport? {
        let key = LightKey(driver: driver, light: id)
        if let light = lights[key] { return light.report }
        return absent[key]?.state
    }

    func knownLights(of driver: String) -> [LightID] {
        lights.keys.filter { $0.driver == driver }.map(\.light)
    }

    func knownKinds(of driver: String) -> [LightID: LightKind] {
        var kinds: [LightID: LightKind] = [:]
        for (key, light) in absent where key.driver == driver { kinds[key.light] = light.description.kind }
        for (key, light) in lights where key.driver == driver { kinds[key.light] = light.adapter.description.kind }
        return kinds
    }

    func reported(_ state: DriverState, of driver: String) {
        let bridged = self.driver(driver)
        guard bridged.state != state else { return }
        bridged.state = state
        driverStateChanged()
        logger.info("driver state changed", metadata: ["driver": "\(driver)", "state": "\(state.words)"])
    }

    /// Returns the log metadata for a light.
    func about(_ key: LightKey) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["light": "\(key)", "driver": "\(key.driver)"]
        if let light = lights[key] { metadata["aid"] = "\(light.aid)" }
        return metadata
    }

    // MARK: Commands to lights

    /// Sends a command immediately, or merges it with the waiting command if another command is running.
    ///
    /// - Parameters:
    ///   - command: The command. An empty command succeeds.
    ///   - light: A visible light.
    ///   - origin: The source of the command.
    /// - Returns: A waiter for the light's response. If the driver has returned immediately, it already has the
    ///   response. Otherwise, it gets a response within 2 s.
    func send(_ command: LightCommand, to light: BridgedLight, origin: LightEvent.Origin) -> CommandWaiter {
        let now = scheduler.now
        let waiter = CommandWaiter(until: now + CommandWaiter.timeout)
        guard light.state.isReachable, let driver = light.driver.driver else {
            waiter.give(.unableToCommunicate)
            return waiter
        }
        guard !command.isEmpty else {
            waiter.give(.success)
            return waiter
        }
        light.origin = origin
        light.isQuiet = false
        var command = command
        if !overrides.isEmpty, light.adapter.description.fades {
            command.transition = overrides[light.key]?.transition
        }
        if let next = light.pipeline.wanted(command, now: now) {
            light.waitersUnderWay.append(waiter)
            start(next, on: light, by: driver, now: now)
        } else {
            light.waitersWaiting.append(waiter)
            wakeWhenCompleted(light)
        }
        if waiter.answer == nil {
            waiters.append(waiter)
            wake(at: waiter.deadline)
        }
        return waiter
    }

    /// Sends a command that the bridge itself issues.
    ///
    /// The light must not have a running command.
    func send(_ command: LightCommand, to light: BridgedLight) {
        let now = scheduler.now
        guard let driver = light.driver.driver, let next = light.pipeline.wanted(command, now: now) else { return }
        start(next, on: light, by: driver, now: now)
    }

    private func start(
        _ command: LightCommand, on light: BridgedLight, by driver: any LightDriver, now: ContinuousClock.Instant
    ) {
        light.command += 1
        light.refusal = nil
        light.isShown = false
        let deadline = now + CommandWaiter.timeout
        light.commandDeadline = deadline
        let number = light.command
        // The task starts within this call. Most drivers' commands finish before it returns, without a thread switch.
        let task = Task.immediate {
            var status = HAPStatus.success
            do throws(LightError) {
                try await driver.apply(command.forDriver, to: light.key.light)
            } catch {
                status = HAPStatus(error)
                if case .refused(let reason) = error { refused(light, reason) }
            }
            ended(command, number, on: light, status)
        }
        guard light.command == number, light.pipeline.underWay != nil else { return }
        light.task = task
        // Commands that the bridge itself sends or repeats have no waiters whose deadlines would wake the bridge.
        wake(at: deadline)
    }

    /// Records a rejection by a light.
    ///
    /// HAP can't transmit the reason, but the operator can see it.
    private func refused(_ light: BridgedLight, _ reason: String) {
        light.refusal = reason
        logger.info("light refused command", metadata: about(light.key).merging(["reason": "\(reason)"]) { $1 })
    }

    /// Handles the end of a driver's command.
    private func ended(_ command: LightCommand, _ number: Int, on light: BridgedLight, _ status: HAPStatus) {
        guard !light.isRemoved, light.command == number, light.pipeline.isBusy else { return }
        light.task = nil
        // The command ended after its timeout, so its requests have been answered. The next command can be sent.
        if light.pipeline.isAbandoned {
            startNextCommand(light, success: false, now: scheduler.now)
            return advanceTransition(of: light)
        }
        let now = scheduler.now
        count(status, of: light, now: now)
        if status == .success {
            if let target = light.adapter.rules.reaction?.target, light.formerTarget == nil {
                light.formerTarget = light.state.values[target]
            }
            change(light, by: light.origin) { state in
                let isChanged = state.apply(light.pipeline.result(of: command), light.adapter.rules)
                return command.on == false && state.apply(light.pipeline.forNextOn, light.adapter.rules) || isChanged
            }
            // Publish the state even if it is unchanged, because the result of a command may differ from the written
            // value (Brightness 0).
            if !light.isShown { show(light) }
        }
        for waiter in light.waitersUnderWay { waiter.give(status) }
        startNextCommand(light, success: status == .success, now: now)
        advanceTransition(of: light)
    }

    /// Sends the waiting command, if any.
    func startNextCommand(_ light: BridgedLight, success: Bool, now: ContinuousClock.Instant) {
        // If all requests of the waiting command have timed out, it isn't sent anymore.
        if light.waitersWaiting.allSatisfy({ $0.answer != nil }) { light.pipeline.dropWaiting() }
        let next = light.pipeline.ended(success: success, now: now)
        takeWaiters(light)
        if let next, let driver = light.driver.driver { start(next, on: light, by: driver, now: now) }
        wakeWhenCompleted(light)
    }

    /// Assigns the requests of the waiting command to the running command.
    private func takeWaiters(_ light: BridgedLight) {
        swap(&light.waitersUnderWay, &light.waitersWaiting)
        light.waitersWaiting.removeAll(keepingCapacity: true)
    }

    /// Handles a command that has timed out: its requests fail, and its driver's task is canceled.
    ///
    /// The next command waits until the driver's call returns, because each light gets one command at a time.
    private func giveUp(_ light: BridgedLight) {
        let key = light.key
        logger.info("light timed out", metadata: about(key))
        let now = scheduler.now
        count(.timedOut, of: light, now: now)
        light.pipeline.gaveUp(now: now)
        for waiter in light.waitersUnderWay { waiter.give(.timedOut) }
        light.waitersUnderWay.removeAll(keepingCapacity: true)
        light.task?.cancel()
        wakeWhenCompleted(light)
    }

    private func count(_ status: HAPStatus, of light: BridgedLight, now: ContinuousClock.Instant) {
        guard let deadline = light.commandDeadline else { return }
        light.commandDeadline = nil
        light.driver.commands.commandEnded(status, after: now - (deadline - CommandWaiter.timeout))
    }

    // MARK: Time

    private func wakeWhenCompleted(_ light: BridgedLight) {
        if let time = light.pipeline.wakeAt { wake(at: time) }
    }

    func wake(at time: ContinuousClock.Instant) {
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
        // Remove all expired waiters at once, because there are thousands if every session waits for every light.
        let count = waiters.firstIndex { $0.deadline > now && $0.answer == nil } ?? waiters.count
        let over = waiters[..<count]
        waiters.removeFirst(count)
        if let next = waiters.first { wake(at: next.deadline) }
        for waiter in over { waiter.give(.timedOut) }
        for light in Array(lights.values) where !light.isRemoved {
            resetScenes(of: light, now: now)
            if let deadline = light.commandDeadline {
                if deadline <= now { giveUp(light) } else { wake(at: deadline) }
                continue
            }
            if let report = light.pipeline.completed(now: now) {
                if let color = report.color { endTransition(of: light, color) }
                change(light, by: .device) { $0.apply(report, light.adapter.rules) }
            }
            if light.pipeline.givesUp(now: now) { rest(light) }
            if let driver = light.driver.driver, let command = light.pipeline.resumed(now: now) {
                takeWaiters(light)
                start(command, on: light, by: driver, now: now)
            } else if let driver = light.driver.driver, let command = light.pipeline.retried(now: now) {
                start(command, on: light, by: driver, now: now)
            }
            wakeWhenCompleted(light)
            if let time = light.transitionDueAt {
                if time <= now { advanceTransition(of: light) } else { wake(at: time) }
            }
            if let time = light.runDueAt {
                if time <= now { advanceRuns(of: light) } else { wake(at: time) }
            }
        }
    }

    /// Resets a device's target to its current state, because the device hasn't reacted to a command.
    private func rest(_ light: BridgedLight) {
        let rules = light.adapter.rules
        guard let target = rules.reaction?.target else { return }
        var values = rules.rest(light.state)
        var former = PropertyValues()
        former[target] = light.formerTarget
        light.formerTarget = nil
        rules.complete(&values, over: { DeviceState(former) })
        light.adapter.limits.adaptTarget(in: &values)
        change(light, by: .device) { $0.apply(values, rules) }
    }

    // MARK: Storing states

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

    /// Stores the states that have changed since the last call.
    package func saveStates() async {
        saveIsDue = false
        let changed = unsaved.filter { !$0.isRemoved }
        unsaved = []
        for light in changed { light.isUnsaved = false }
        guard !changed.isEmpty else { return }
        do {
            try await store.save(states: Dictionary(changed.map { ($0.key, $0.report) }, uniquingKeysWith: { $1 }))
        } catch {
            logger.error("light state save failed", metadata: ["error": "\(error)"])
            for light in changed { save(light) }
        }
    }
}

extension DeviceBridge: AccessorySource {
    package func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus {
        guard let light = lightsByAID[accessory] else { return .doesNotExist }
        if let write = values.first(where: { $0.type == .characteristicValueTransitionControl }) {
            let status = await writeTransition(write, to: light)
            guard status == .success else { return status }
        }
        let settings = light.adapter.settings(in: values)
        if !settings.isEmpty { change(light, by: .controller) { $0.apply(settings, light.adapter.rules) } }
        if !values.isEmpty, values.allSatisfy(\.type.isKeptByBridge) { return .success }
        let waiter = send(values, to: light)
        // Most commands have a response by now.
        if let answer = waiter.answer { return answer }
        return await waiter.response(in: self)
    }

    private func send(_ values: [CharacteristicWrite], to light: BridgedLight) -> CommandWaiter {
        var state = light.wanted
        if !light.adapter.description.isOptimistic {
            // Don't omit a value that the device may not have received.
            var unknown = PropertyValues()
            for (property, _) in light.pipeline.unconfirmedValues { unknown.setUnknown(property) }
            state.apply(unknown, light.adapter.rules)
        }
        var command = light.adapter.command(for: values, state: state)
        if !overrides.isEmpty, overrides[light.key]?.tap == .restore { command.restoreLevel(of: light.wanted) }
        endTransition(of: light, by: values)
        // If no value must be sent, the write succeeds, but controllers must get the device's actual values.
        if command.isEmpty { show(light) }
        return send(command, to: light, origin: .controller)
    }

    package func identify(_ accessory: AccessoryID) {
        guard let light = lightsByAID[accessory], let driver = light.driver.driver else { return }
        let key = light.key
        logger.info("light identified", metadata: about(key))
        // Identification runs in a task, because callers don't wait until a light has blinked. A new identification
        // cancels the previous task, so that the tasks of a light that never finishes don't accumulate.
        light.identification?.cancel()
        let task = Task<Void, Never> { [id = light.key.light] in try? await driver.identify(id) }
        light.identification = task
        scheduler.schedule(at: scheduler.now + CommandWaiter.timeout) { task.cancel() }
    }
}

extension LightCommand {
    /// Replaces the full brightness that a tap on a tile requests with the previous level.
    ///
    /// For a tap, the Home app sends `On` and `Brightness` 100 together to a light that is off (Lights 2). When the
    /// slider is dragged to 100, the light is already on by the time this level is written.
    mutating func restoreLevel(of light: DeviceState) {
        if on == true, brightness == 100, light[.on] == false { brightness = light[.brightness] }
    }

    /// The command with a hue in the range that drivers expect: HomeKit's 360 degrees become 0.
    var forDriver: LightCommand {
        guard case .hueSaturation(let hue, let saturation)? = color, hue >= 360 else { return self }
        var command = self
        command.color = .hueSaturation(hue: 0, saturation: saturation)
        return command
    }
}

extension DeviceState {
    /// Applies a driver's report, whose values must have the formats and ranges of their properties.
    ///
    /// - Returns: Whether the state has changed.
    fileprivate mutating func apply(_ report: LightReport, _ rules: any DeviceRules) -> Bool {
        let wasReachable = isReachable
        if let reachable = report.reachable { isReachable = reachable }
        return apply(report.values, rules) || isReachable != wasReachable
    }
}

extension HAPStatus {
    /// The HAP status for a light's error.
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
