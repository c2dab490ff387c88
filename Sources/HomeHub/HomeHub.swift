import AsyncKit
package import HAPController
package import HAPProtocol
package import HomeModel
package import Logging

import struct HAPModel.DeviceID

/// The only writer of the home database, and the only controller of all its accessories.
///
/// The hub itself holds the homes: it plans a change, stores it, applies it and notifies the apps. It stores one change
/// at a time. Meanwhile, it applies values and events, and other changes wait in the ``CommitQueue``. Extensions of the
/// hub perform all other tasks. The rules are values that don't depend on the hub: the hub gives them input and
/// performs the actions that they return.
///
/// | extension | task | values |
/// | --- | --- | --- |
/// | `+sessions` | sessions of apps, their notifications, observations and searches | ``ChangeFeed``, ``Searches`` |
/// | `+calls` | calls from arrival to answer | ``CallTable`` |
/// | `+permissions` | the user's decisions about apps | ``Permissions``, ``Consents``, ``PendingDecisions`` |
/// | `+requests`, `+values` | permitted requests, to the homes and to accessories | ``ValueRequests`` |
/// | `+connections`, `+databases`, `+subscriptions`, `+following` | accessory servers and their reports | ``Connection`` |
/// | `+pairings` | creates and removes pairings | ``Pairings`` |
/// | `+additions`, `+repairs`, `+vendorApps` | adds accessories, or pairs again with them | ``SetupTarget``, ``VendorRequests`` |
/// | `+history`, `+activity` | past values and the activity | ``ValueHistory``, ``ActivityLog`` |
/// | `+automations`, `+runs`, `+automationRequests` | automations | ``Automations``, ``RunQueues``, ``TriggerHistory`` |
/// | `HomeHub` | changes the homes | ``CommitQueue``, ``UnsavedValues`` |
///
/// Slow work, such as a request to an accessory, runs in parallel in ``run()``. After each suspension it checks whether
/// its call still needs an answer.
package actor HomeHub {
    package nonisolated let unownedExecutor: UnownedSerialExecutor

    private let executor: any SerialExecutor
    let store: any HomeStore
    let browser: AccessoryServerBrowser
    let dialer: any AccessoryDialer
    let configuration: Configuration
    let logger: Logger

    let vault: any PairingVault
    let unpairing: Unpairing

    /// The current homes.
    private(set) var graph: HomeGraph
    let commitQueue = CommitQueue(limit: HomeHub.changesThatWait)
    let unsavedValues: UnsavedValues
    let history: ValueHistory
    /// The sessions to notify of the next change in the activity, because they have loaded it.
    var activityReaders: Set<SessionID> = []
    /// The accessories whose unreachability is part of the activity.
    var shownAsUnreachable: Set<Accessory.ID> = []
    /// The times at which accessories became unreachable.
    var unreachableSince: [Accessory.ID: Timestamp] = [:]
    /// A Boolean value that indicates whether the hub has begun to end.
    var isEnding = false

    // Apps.
    var sessions: [SessionID: AppSession] = [:]
    var lastSession: UInt64 = 0
    var calls = CallTable()
    var feed: ChangeFeed
    var searches = Searches()
    var permissions: Permissions
    var consents: Consents
    /// The automation actions that the user has been asked to allow, by call.
    var askedOpenings: [Call: Set<CharacteristicWriteAction>] = [:]
    var decisions = PendingDecisions()
    let decisionQueue = CommitQueue(limit: HomeHub.changesThatWait)

    // Accessories.
    var connections: [DeviceID: Connection] = [:]
    var pairings = Pairings()
    var vendorRequests = VendorRequests()
    var additionsUnderWay: Set<DeviceID> = []
    var repairsUnderWay: Set<Accessory.ID> = []
    var runningActionSets: Set<ActionSet.ID> = []
    /// The candidate pairings of repairs that the previous process didn't finish.
    let interruptedRepairs: [AccessoryPairing]

    // Automations.
    let clock: @Sendable () -> ClockReading
    let timeZones: @Sendable (String?) -> TimeZoneRules?
    let systemTimeZone: @Sendable () -> String?
    let messageReceiver: (any MessageReceiver)?
    var automations: Automations
    var runs = RunQueues()
    var triggerHistory = TriggerHistory()
    /// The JSON of the statuses in the last answers, by home.
    var triggerStatusTexts: [Home.ID: EncodedTexts<Trigger.ID, TriggerStatus>] = [:]
    /// The calls that wait for the first attempt of a run's actions.
    var runCalls: [RunID: [Call]] = [:]
    /// The sessions that receive the messages of automations.
    var messageSessions: Set<SessionID> = []

    // Work.
    typealias Job = @Sendable (isolated HomeHub) async -> Void
    private let jobs: AsyncStream<Job>
    private let newJobs: AsyncStream<Job>.Continuation
    /// The signal that a new deadline may be earlier than all others.
    let deadlineChanged = AsyncSignal()

    /// Creates a hub with the stored state.
    ///
    /// Loading the state blocks. Afterwards, the hub never blocks its executor. ``run()`` starts the browser and
    /// connects to accessories.
    ///
    /// `timeZones` returns the rules of the given time zone, or of the system's time zone for `nil`. `systemTimeZone`
    /// returns the name of the system's time zone. Both may block. `messageReceiver` receives the messages of
    /// automations, in addition to the apps.
    ///
    /// - Throws: The store's errors.
    package init(
        executor: any SerialExecutor, store: any HomeStore, history: any HistoryStore, vault: any PairingVault,
        browser: AccessoryServerBrowser, dialer: any AccessoryDialer, configuration: Configuration,
        timeZones: @escaping @Sendable (String?) -> TimeZoneRules?,
        systemTimeZone: @escaping @Sendable () -> String? = { nil },
        clock: @escaping @Sendable () -> ClockReading = { .now }, messageReceiver: (any MessageReceiver)? = nil,
        logger: Logger
    ) throws {
        self.executor = executor
        unownedExecutor = executor.asUnownedSerialExecutor()
        self.store = store
        self.browser = browser
        self.dialer = dialer
        self.configuration = configuration
        self.logger = logger
        let stored = try store.load()
        graph = stored.graph
        feed = ChangeFeed(limit: configuration.feedLimit)
        permissions = Permissions(
            systemApp: configuration.systemApp, restrictions: configuration.restrictions,
            installed: configuration.installedApps, remembered: stored.permissions)
        consents = Consents(remembered: stored.claims)
        self.vault = vault
        unpairing = Unpairing(browser: browser, dialer: dialer, timing: configuration.timing, logger: logger)
        interruptedRepairs = stored.candidates
        unsavedValues = UnsavedValues(store: store, interval: configuration.saveInterval, logger: logger)
        self.history = ValueHistory(store: history, interval: configuration.historyInterval, logger: logger)
        self.timeZones = timeZones
        self.systemTimeZone = systemTimeZone
        self.clock = clock
        self.messageReceiver = messageReceiver
        var zones = HomeTimeZones(systemName: systemTimeZone())
        for name in HomeTimeZones.names(of: graph.homes) { zones.add(name, timeZones(name)) }
        automations = Automations(
            homes: graph.homes, states: stored.triggerStates, withdrawn: permissions.withdrawn(graph), zones: zones,
            timing: configuration.automationTiming, at: clock())
        (jobs, newJobs) = AsyncStream.makeStream()
    }

    // MARK: The homes

    /// Changes the homes: plans the change when it's first in the queue, stores it, applies it and notifies the apps.
    ///
    /// Values that accessories report while the store writes are applied immediately.
    ///
    /// - Parameters:
    ///   - place: The change's place in the queue. The change leaves it when it's done.
    ///   - call: The call that requested the change. If it's canceled before the store begins, nothing happens. A
    ///     change without a call waits for the disk indefinitely.
    ///   - candidate: The pairing that replaces the accessory's current one.
    ///   - plan: Changes a copy of the homes. If there is no transaction, nothing is stored.
    ///   - applied: Called synchronously after the change is applied, so that the answer to `call` precedes all later
    ///     messages.
    /// - Throws: The errors of `plan`; 1004 if the change can't be stored, 8 if the disk is busy for too long, 23 if
    ///   the call is canceled, 1002 if the hub ends. Nothing has changed in these cases.
    func change<Plan>(
        at place: CommitQueue.Place, by call: Call? = nil, promoting candidate: AccessoryPairing? = nil,
        _ plan: (inout HomeGraph) throws(HomeError) -> (plan: Plan, transaction: HomeTransaction?),
        applied: (Plan) -> Void
    ) async throws(HomeError) {
        let deadline = call.map { _ in ContinuousClock.now + configuration.storeTimeout }
        try await commitQueue.wait(at: place, until: deadline)
        defer { commitQueue.leave(place) }
        if let call, !calls.takesEffect(call) { throw HomeError(.operationCancelled) }
        var planned = graph
        let (plan, transaction) = try plan(&planned)
        if let transaction { try await commit(transaction, in: planned, by: call, promoting: candidate) }
        applied(plan)
    }

    private func commit(
        _ transaction: HomeTransaction, in planned: HomeGraph, by call: Call?, promoting candidate: AccessoryPairing?
    ) async throws(HomeError) {
        let before = graph
        do {
            if let candidate {
                try await store.commit(transaction, in: planned, promoting: candidate)
            } else {
                try await store.commit(transaction, in: planned)
            }
        } catch {
            logger.error("home database write failed", metadata: ["error": "\(error)"])
            throw store.failure("nothing was changed", after: error)
        }
        let (transaction, newer) = transaction.refreshed(from: before, to: graph)
        _ = graph.apply(transaction)
        // The values that were stored with the transaction are older than these.
        for (id, value) in newer where unsavedValues.changed(id, to: value) { deadlineChanged.send() }
        recordActivity(transaction, from: before, by: call)
        committed(transaction, by: call)
        automationsAdopt(transaction)
    }

    func save(_ scene: ActionSet.ID, lastExecutionTime: Timestamp) async {
        do {
            try await store.save(scene, lastExecutionTime: lastExecutionTime)
        } catch {
            logger.error("value save failed", metadata: ["error": "\(error)"])
        }
    }

    /// Applies an accessory's report, and notifies the apps if it's new.
    ///
    /// - Parameters:
    ///   - event: The report.
    ///   - writer: The session whose answer contains the value.
    ///   - isOccurrence: Whether the event is momentary, such as a button press, and leaves no lasting value.
    ///   - activity: The origin of the change; `nil` if the accessory caused it.
    func apply(
        _ event: LiveEvent, writer: SessionID? = nil, isOccurrence: Bool = false, activity: ActivityOrigin? = nil
    ) {
        let before = accessory(changedBy: event)
        let isNew = graph.apply(event)
        if case .valueUpdated(let id, let value, _) = event {
            automationsReceive(value, of: id, isOccurrence: isOccurrence)
        }
        guard isNew else {
            // The value is the same, but its time is newer. Apps display the age of values that aren't reported.
            if case .valueUpdated(let id, _, _) = event, let state = graph.characteristic(id), state.isReadableState,
                !state.canNotify
            {
                perform(feed.received(event, writer: writer))
            }
            return
        }
        if case .valueUpdated(let id, let value, let time) = event, !isOccurrence {
            if unsavedValues.changed(id, to: TimestampedValue(value, at: time)) { deadlineChanged.send() }
            if let characteristic = before?.characteristic(id) { record(value, of: characteristic, at: time) }
        }
        if case .reachabilityUpdated(let id, let isReachable) = event {
            unreachableSince[id] = isReachable ? nil : .now
        }
        if let before { recordActivity(event, of: before, from: activity) }
        perform(feed.received(event, writer: writer))
    }

    // MARK: Work

    /// Maintains the connections to the accessories until the caller's task is canceled.
    ///
    /// It can be called only once. After it returns, all pending and later calls fail with `daemonUnavailable`.
    package func run() async {
        await loadPairings()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchBrowser() }
            group.addTask { await self.watchTime() }
            for await job in jobs { group.addTask { await job(self) } }
            isEnding = true
            group.cancelAll()
        }
        newJobs.finish()
        perform(calls.hubEnded())
        await browser.stop()
        await unsavedValues.save()
        await history.save()
    }

    /// Runs a job in parallel, isolated to the hub.
    ///
    /// When the hub ends, it cancels the job and waits for it.
    func start(_ job: @escaping Job) { newJobs.yield(job) }

    /// Performs work when its deadline passes, until the hub ends.
    private func watchTime() async {
        for name in automations.zones.missing { logMissing(name) }
        automationsChanged()
        while !Task.isCancelled {
            await deadlineChanged.wait(
                until: [
                    calls.nextDeadline, vendorRequests.nextDeadline, unsavedValues.nextDeadline, history.nextDeadline,
                    automations.nextDeadline(at: clock(), now: .now),
                ]
                .compactMap(\.self).min())
            let now = ContinuousClock.now
            perform(calls.deadlinesPassed(now: now))
            vendorDeadlinesPassed(now: now)
            if unsavedValues.deadlinePassed(now: now) { start { hub in await hub.unsavedValues.save() } }
            if history.deadlinePassed(now: now) { start { hub in await hub.saveHistory() } }
            automationDeadlinePassed(now: now)
        }
    }

    /// Handles accessories that appear on the network or disappear, until the hub ends.
    private func watchBrowser() async {
        do {
            try browser.start()
        } catch {
            logger.error("discovery failed", metadata: ["error": "\(error)"])
        }
        // The snapshot in the stream may be outdated, so the handlers use the browser's current one.
        for await _ in browser.snapshots() {
            updateSearches()
            unpairVisibleOrphans()
            await browserChanged()
        }
    }
}
