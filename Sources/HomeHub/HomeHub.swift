import AsyncKit
package import HAPController
package import HAPProtocol
import HomeModel
package import Logging

/// The one writer of the home database, and the one controller of all accessories in it.
///
/// The hub itself holds the homes: a change is planned, stored, then applied and passed on to the apps. One change at a time
/// is stored, and the hub does not stand still for it: values and events go on, other changes wait in the ``CommitQueue``.
/// Everything else is a part, a class whose state nothing outside its file can change and which only this actor's turns touch:
///
/// | part | what it holds |
/// | --- | --- |
/// | ``AppSessions`` | which apps are connected, what they may do, their calls, and what they are to be told |
/// | ``AccessoryLinks`` | the connections to accessories, what they consist of, and what they are asked to report |
/// | ``AccessoryCalls`` | the scenes that run; it reads and writes values for calls |
/// | ``Pairings`` | with which accessories the hub is paired, and which of them are to be unpaired |
/// | ``Additions`` | the accessories that are being added |
/// | ``Repairs`` | the accessories that are being paired again |
/// | ``VendorApps`` | what makers' apps have been asked for |
/// | ``CommitQueue`` | the changes that wait for the store |
/// | ``UnsavedValues`` | values that have not been stored yet |
///
/// What takes its time, such as asking an accessory, is done by ``run()`` beside everything else. It goes on in a turn of the
/// hub whenever something comes of it, and looks then whether its call is still awaited.
package actor HomeHub {
    package nonisolated let unownedExecutor: UnownedSerialExecutor

    private let executor: any SerialExecutor
    let store: any HomeStore
    let browser: AccessoryBrowser
    let dialer: any AccessoryDialer
    let configuration: Configuration
    let logger: Logger

    /// The homes as they are.
    private(set) var graph: HomeGraph

    // The rooms.
    let sessions: AppSessions
    let links = AccessoryLinks()
    let accessoryCalls = AccessoryCalls()
    let pairings: Pairings
    let additions = Additions()
    let repairs = Repairs()
    let vendorApps = VendorApps()
    let commitQueue = CommitQueue(limit: HomeHub.changesThatWait)
    let unsavedValues: UnsavedValues

    // Work.
    typealias Job = @Sendable (isolated HomeHub) async -> Void
    private let jobs: AsyncStream<Job>
    private let newJobs: AsyncStream<Job>.Continuation
    private let deadlineChanged = AsyncSignal()

    /// Loads what is stored; nothing is connected before ``run()``.
    ///
    /// - Parameters:
    ///   - executor: runs the hub; nothing in it blocks.
    ///   - store: the homes.
    ///   - vault: the pairings.
    ///   - browser: sees the accessories of the networks; started by ``run()``.
    ///   - dialer: connects to them.
    ///   - configuration: what the daemon decides.
    ///   - logger: where errors are logged.
    /// - Throws: what the store throws.
    package init(
        executor: any SerialExecutor, store: any HomeStore, vault: any PairingVault, browser: AccessoryBrowser,
        dialer: any AccessoryDialer, configuration: Configuration, logger: Logger
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
        sessions = AppSessions(configuration, stored: stored, store: store, logger: logger)
        pairings = Pairings(
            vault, unpairing: Unpairing(browser: browser, dialer: dialer, timing: configuration.timing, logger: logger),
            candidates: stored.candidates, store: store, timeout: configuration.unpairingTimeout, logger: logger)
        unsavedValues = UnsavedValues(store: store, interval: configuration.saveInterval, logger: logger)
        (jobs, newJobs) = AsyncStream.makeStream()
    }

    // MARK: The homes

    /// Stores a transaction, applies it and tells the apps; for ``change(at:by:_:applied:)``, one at a time.
    ///
    /// - Parameters:
    ///   - transaction: what changed.
    ///   - planned: the homes with it applied, as they were when it was planned.
    ///   - call: the call that asked for it; it must be answered in the turn in which this returns.
    ///   - candidate: the pairing that replaces an accessory's own.
    /// - Throws: 1004 if it can't be stored; then nothing has changed.
    func commit(
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
        // They were stored as they had been.
        for (id, value) in newer where unsavedValues.changed(id, to: value) { deadlineChanged.send() }
        sessions.committed(transaction, by: call, in: self)
    }

    /// Stores when a scene was carried out last.
    func save(_ scene: ActionSet.ID, lastExecutionTime: Timestamp) async {
        do {
            try await store.save(scene, lastExecutionTime: lastExecutionTime)
        } catch {
            logger.error("value save failed", metadata: ["error": "\(error)"])
        }
    }

    /// Applies what an accessory has reported, and tells the apps if it is new.
    ///
    /// - Parameters:
    ///   - event: what was reported.
    ///   - writer: whose call set the value; it has it in its answer.
    ///   - isOccurrence: whether it leaves no value behind, such as a press of a button.
    func apply(_ event: LiveEvent, writer: SessionID? = nil, isOccurrence: Bool = false) {
        guard graph.apply(event) else {
            // The same value is newer now, which apps show of values that aren't reported.
            if case .valueUpdated(let id, _, _) = event, let state = graph.characteristic(id), state.isReadableState,
                !state.canNotify
            {
                sessions.notify(event, writer: writer, in: self)
            }
            return
        }
        if case .valueUpdated(let id, let value, let time) = event, !isOccurrence {
            if unsavedValues.changed(id, to: TimestampedValue(value, at: time)) { deadlineChanged.send() }
        }
        sessions.notify(event, writer: writer, in: self)
    }

    // MARK: Work

    /// Looks after the accessories until the caller is cancelled; to be run once.
    ///
    /// What has not been answered by then, and all that is asked later, is answered with `daemonUnavailable`.
    package func run() async {
        await pairings.load(in: self)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchBrowser() }
            group.addTask { await self.watchTime() }
            for await job in jobs { group.addTask { await job(self) } }
            group.cancelAll()
        }
        newJobs.finish()
        sessions.hubEnded(in: self)
        await browser.stop()
        await unsavedValues.save(in: self)
    }

    /// Has something done beside everything else, in turns of the hub; it is cancelled, and waited for, when the hub ends.
    func start(_ job: @escaping Job) { newJobs.yield(job) }

    /// Goes on in a turn of the hub.
    func turn<Outcome: Sendable>(_ body: @Sendable (isolated HomeHub) async -> Outcome) async -> Outcome {
        await body(self)
    }

    /// Something is due earlier than anything before.
    func deadlineAdded() { deadlineChanged.send() }

    /// Does what is due at a time.
    private func watchTime() async {
        while !Task.isCancelled {
            await deadlineChanged.wait(
                until: [sessions.nextDeadline, vendorApps.nextDeadline, unsavedValues.nextDeadline].compactMap(\.self)
                    .min())
            let now = ContinuousClock.now
            sessions.deadlinesPassed(now: now, in: self)
            vendorApps.deadlinesPassed(now: now, in: self)
            unsavedValues.deadlinePassed(now: now, in: self)
        }
    }

    /// Follows the accessories that the networks show.
    private func watchBrowser() async {
        do {
            try browser.start()
        } catch {
            logger.error("discovery failed", metadata: ["error": "\(error)"])
        }
        // What comes may wait for its turn here until it is old.
        for await _ in browser.snapshots() {
            additions.updateSearches(in: self)
            pairings.unpairVisibleOrphans(in: self)
            await links.browserChanged(in: self)
        }
    }
}
