import AsyncKit
package import HAPController
package import HAPProtocol
import HomeModel
package import Logging

import struct HAPModel.DeviceID

/// The one writer of the home database, and the one controller of all accessories in it.
///
/// Apps open sessions and ask; what they are to be told, answers and news alike, is taken with ``nextDelivery(for:)``
/// and sent in that order. What takes its time, such as asking an accessory, is done by ``run()`` beside everything else;
/// what changes the homes is done in one turn: stored, then applied, then told.
package actor HomeHub {
    package nonisolated let unownedExecutor: UnownedSerialExecutor

    private let executor: any SerialExecutor
    let store: any HomeStore
    let vault: any PairingVault
    let browser: AccessoryBrowser
    let dialer: any AccessoryDialer
    let configuration: Configuration
    let logger: Logger

    // What is known.
    var graph: HomeGraph
    var permissions: Permissions
    var feed: ChangeFeed
    var generator = SystemRandomNumberGenerator()
    /// What was heard of values since they were last stored.
    var unnoted: [Characteristic.ID: HeardValue] = [:]
    var noteAt: ContinuousClock.Instant?

    // Who asks, and for what.
    var sessions: [SessionID: Session] = [:]
    var lastSession: UInt64 = 0
    var calls = CallTable()
    var runningActionSets: Set<ActionSet.ID> = []

    // Accessories.
    var connections: [DeviceID: Connection] = [:]
    /// The accessories in the vault.
    var paired: Set<DeviceID> = []
    /// Those of them that are in no home and are to be told so, the oldest first.
    var strays: [Stray] = []
    var searches = Searches()
    /// The accessories that are being added, each once.
    var additions: Set<DeviceID> = []
    var vendorRequests = VendorRequests()

    // Work.
    typealias Job = @Sendable () async -> Void
    private let jobs: AsyncStream<Job>
    private let newJobs: AsyncStream<Job>.Continuation
    let deadlineChanged = AsyncSignal()

    /// What the daemon decides about its hub.
    package struct Configuration: Sendable {
        package var systemApp: SystemApp
        package var restrictions = AppRestrictions()
        /// How much news may wait for a session.
        package var feedLimit = ChangeFeed.defaultLimit
        /// How long a maker's app has to come and answer.
        package var vendorPatience = Duration.seconds(60)
        /// How long a call waits for permission; apps have less patience, mostly.
        package var permissionPatience = Duration.seconds(600)
        /// How long an accessory that is to be added may take to be seen.
        package var searchPatience = Duration.seconds(10)
        /// How long somebody waits for an accessory that is only to be told that it is paired with no more.
        package var farewellPatience = Duration.seconds(30)
        /// How much time lies between two stores of what was heard.
        package var noteInterval = Duration.seconds(60)
        /// How long it takes until an accessory's changes are stored again that could not be.
        package var storePatience = Duration.seconds(10)
        /// How much time lies between two times at which a home takes over what an accessory consists of.
        package var databaseInterval = Duration.seconds(5)
        package var timing = ControllerTiming()

        package init(systemApp: SystemApp) { self.systemApp = systemApp }
    }

    /// Loads what is stored; nothing is connected before ``run()``.
    ///
    /// - Parameters:
    ///   - executor: runs the hub, and blocks while the store writes: it carries nobody else.
    ///   - store: the homes.
    ///   - vault: the pairings.
    ///   - browser: sees the accessories of the networks; started by ``run()``.
    ///   - dialer: connects to them.
    ///   - configuration: what the daemon decides.
    ///   - logger: where trouble is told.
    /// - Throws: what the store throws.
    package init(
        executor: any SerialExecutor, store: any HomeStore, vault: any PairingVault, browser: AccessoryBrowser,
        dialer: any AccessoryDialer, configuration: Configuration, logger: Logger
    ) throws {
        self.executor = executor
        unownedExecutor = executor.asUnownedSerialExecutor()
        self.store = store
        self.vault = vault
        self.browser = browser
        self.dialer = dialer
        self.configuration = configuration
        self.logger = logger
        let stored = try store.load()
        graph = stored.graph
        permissions = Permissions(
            systemApp: configuration.systemApp, restrictions: configuration.restrictions,
            remembered: stored.permissions)
        feed = ChangeFeed(limit: configuration.feedLimit)
        (jobs, newJobs) = AsyncStream.makeStream()
    }

    // MARK: Work

    /// Looks after the accessories until the caller is cancelled; to be run once.
    ///
    /// What has not been answered by then, and all that is asked later, is answered with `daemonUnavailable`.
    package func run() async {
        await connectToAll()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchBrowser() }
            group.addTask { await self.watchTime() }
            for await job in jobs { group.addTask { await job() } }
            group.cancelAll()
        }
        newJobs.finish()
        perform(calls.hubEnded())
        await browser.stop()
        note()
    }

    /// Has something done beside everything else; it is cancelled, and waited for, when the hub ends.
    func start(_ job: @escaping Job) { newJobs.yield(job) }

    /// Does what is due at a time.
    private func watchTime() async {
        while !Task.isCancelled {
            await deadlineChanged.wait(
                until: [calls.nextDeadline, vendorRequests.nextDeadline, noteAt].compactMap(\.self).min())
            let now = ContinuousClock.now
            perform(calls.deadlinesPassed(now: now))
            lapse(vendorRequests.deadlinesPassed(now: now))
            if let noteAt, noteAt <= now { note() }
        }
    }

    /// Stores what was heard of values.
    func note() {
        noteAt = nil
        guard !unnoted.isEmpty else { return }
        do {
            try store.note(unnoted)
            unnoted = [:]
        } catch {
            // They stay, and go with the next.
            logger.error("what was heard of accessories cannot be stored", metadata: ["error": "\(error)"])
        }
    }
}
