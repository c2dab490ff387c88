internal import HAPCrypto
package import HAPModel
package import HAPProtocol
package import Logging

/// The accessory role of HAP: its connections, pairings and subscriptions.
///
/// The server runs on the executor of the transport's event loop, so it can answer a read within the call that delivers
/// the request. Sessions are plain objects inside the actor, so notifying a hundred sessions is a simple loop. The
/// server answers the requests of a connection in order: the transport delivers the next request after the response to
/// the previous one.
package actor AccessoryServer {
    package nonisolated let executor: any SerialExecutor
    private(set) var scheduler: any Scheduler
    let registry = AccessoryRegistry()
    let store: any AccessoryServerStore
    package nonisolated let identity: AccessoryIdentity
    private let profile: AccessoryProfile
    let setupCode: SetupCode
    /// The SRP verifier of the setup code; `nil` until it has been computed.
    var verifier: SRPVerifier?
    private let setupID: SetupID
    private let ownership: OwnershipRequirement?
    private var eventWindow: Duration
    let logger: Logger

    var sessions: [ConnectionID: AccessorySession] = [:]
    /// The pending write responses that handlers and devices have set.
    var writeResponses: [CharacteristicID: CharacteristicValue] = [:]
    var pairings: PairingList
    var attempts: SetupAttempts
    /// The rate limiter for unauthenticated peers.
    private var rateLimiter = UnauthenticatedRateLimiter()
    /// The mutex that serializes changes of the pairings.
    let pairingMutex = AsyncMutex()
    private(set) var subscriptions = SubscriptionIndex()
    package internal(set) var statistics = ServerStatistics()
    /// The last stored `c#`.
    var configuration: ConfigurationNumber
    /// The firmware version; a new version counts as a configuration change.
    let firmware: String
    let structureMutex = AsyncMutex()
    var structureCheckIsDue = false
    /// A Boolean value that indicates whether all accessories of the previous run are present.
    ///
    /// Only structure changes after that increase `c#`.
    var isComplete = false
    /// The advertised state of `sf`.
    ///
    /// It changes after the pairings, because the controller must receive M6 first (HAP 5.6).
    private var isAdvertisedAsPaired: Bool
    private var wakeAt: ContinuousClock.Instant?
    private(set) var isStopping = false
    /// The continuation of ``stop()``, resumed when the last connection has ended.
    private var stopped: CheckedContinuation<Void, Never>?
    /// The number of unfinished asynchronous operations, including those of ended connections.
    ///
    /// These operations return to this actor, so the event loop must outlive them.
    private var unfinished = 0

    /// A stream of the current advertisement and a new advertisement after each change.
    ///
    /// A slow reader gets only the newest advertisement.
    package nonisolated let advertisements: AsyncStream<Advertisement>
    private let advertise: AsyncStream<Advertisement>.Continuation

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a server from stored state, on the executor of the transport's event loop.
    ///
    /// With an ownership requirement, standard controllers can't pair. Changes of values within `eventWindow` are
    /// coalesced into one event message.
    package init(
        executor: any SerialExecutor, scheduler: any Scheduler, store: any AccessoryServerStore,
        stored: StoredServer, profile: AccessoryProfile, ownership: OwnershipRequirement? = nil, eventWindow: Duration,
        logger: Logger
    ) {
        self.executor = executor
        self.scheduler = scheduler
        self.store = store
        self.logger = logger
        self.eventWindow = eventWindow
        identity = stored.identity
        self.profile = profile
        setupCode = stored.setupCode
        setupID = stored.setupID
        self.ownership = ownership
        pairings = stored.pairings
        attempts = SetupAttempts(failures: stored.failedAttempts)
        configuration = ConfigurationNumber(stored.configuration)
        firmware = profile.information.firmwareRevision
        isAdvertisedAsPaired = stored.pairings.hasAdmin
        (advertisements, advertise) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Starts advertising.
    package func start() async {
        if !pairings.hasAdmin, !pairings.isEmpty {
            // Without an admin, no controller could manage the other pairings (HAP 6.6).
            logger.warning("pairings dropped", metadata: ["reason": "there is no admin"])
            _ = await changePairings(by: "bridge") { $0 = PairingList() }
        }
        updateAdvertisement()
        // Compute the verifier early, which saves the next pair setup one modular exponentiation.
        if !isPaired { _ = await setupVerifier() }
    }

    /// Stops the server: rejects new connections, answers the pending requests and closes all connections.
    ///
    /// Returns when the last connection and all asynchronous work have ended, but after ``stoppingTime`` at the latest.
    package func stop() async {
        isStopping = true
        advertise.finish()
        for session in sessions.values {
            if session.isAnswering {
                session.closesAfterAnswer = true
            } else {
                session.connection.closeAfterWriting()
            }
        }
        guard !sessions.isEmpty || unfinished > 0 else { return }
        scheduler.schedule(at: scheduler.now + Self.stoppingTime) { [weak self] in
            self?.assumeIsolated { $0.haveStopped() }
        }
        await withCheckedContinuation { stopped = $0 }
    }

    private func haveStopped() {
        stopped?.resume()
        stopped = nil
    }

    /// Sets the clock for the time limits.
    ///
    /// Call this before the server starts or when it stops.
    package func use(_ scheduler: any Scheduler) { self.scheduler = scheduler }

    // MARK: Advertisement

    func updateAdvertisement() {
        advertise.yield(advertisement)
    }

    /// The current content of the mDNS advertisement.
    package var advertisement: Advertisement {
        Advertisement(
            deviceID: identity.deviceID, configurationNumber: configuration.number, isPaired: isAdvertisedAsPaired,
            category: profile.category, model: profile.information.model, setupID: setupID,
            vendor: ownership?.vendor)
    }

    private func setAdvertisedAsPaired(_ isPaired: Bool) {
        guard isAdvertisedAsPaired != isPaired else { return }
        isAdvertisedAsPaired = isPaired
        updateAdvertisement()
    }

    /// Updates `sf` from the pairings.
    func advertisePairings() { setAdvertisedAsPaired(pairings.hasAdmin) }

    // MARK: For the operator

    /// The payload that controllers pair with; it contains the setup code.
    package var setupPayload: SetupPayload {
        SetupPayload(category: profile.category, code: setupCode, setupID: setupID)
    }

    package var isPaired: Bool { pairings.hasAdmin }

    /// The vendor whose token pair setup requires; `nil` if no token is required.
    package nonisolated var vendor: String? { ownership?.vendor }

    /// The number of wrong proofs since the last correct one.
    package var failedAttempts: Int { attempts.failures }

    package var connectionCount: Int { sessions.count }

    /// The number of verified connections.
    package var controllerCount: Int { sessions.values.count(where: \.isVerified) }

    /// Sets the time for which changes are coalesced, including on existing connections.
    package func use(eventWindow: Duration) {
        self.eventWindow = eventWindow
        for session in sessions.values { session.outbox.window = eventWindow }
    }

    // MARK: Connections

    private func open(_ connection: any AccessoryConnection) {
        let now = scheduler.now
        guard !isStopping else {
            connection.close()
            return
        }
        guard allows(connection, now) else {
            connection.close()
            return
        }
        let candidates = sessions.values.map {
            ConnectionPolicy.Candidate(
                id: $0.id, isVerified: $0.isVerified, lastReceived: $0.lastReceived, isPairing: $0.pairSetup.isActive)
        }
        switch ConnectionPolicy.verdict(on: candidates, now: now) {
        case .admit: break
        case .evict(let id):
            logger.info(
                "connection evicted",
                metadata: ["peer": "\(sessions[id]?.connection.peer ?? "")"])
            statistics.crowdedOut += 1
            sessions[id]?.connection.close()
            forget(id)
        case .refuse:
            logger.warning(
                "connection refused", metadata: ["peer": "\(connection.peer)", "reason": "too many connections"])
            statistics.crowdedOut += 1
            connection.close()
            return
        }
        statistics.connections += 1
        sessions[connection.id] = AccessorySession(
            connection: connection, identity: identity, ownership: ownership, eventWindow: eventWindow, now: now)
        wake(at: now + ConnectionPolicy.unverifiedLifetime)
    }

    /// Charges an unauthenticated request or connection to its peer's address.
    ///
    /// - Returns: Whether the address is within the limit.
    private func allows(_ connection: any AccessoryConnection, _ now: ContinuousClock.Instant) -> Bool {
        if rateLimiter.take(from: connection.address, now: now) { return true }
        logger.warning("rate limit exceeded for unauthenticated peer", metadata: ["peer": "\(connection.peer)"])
        statistics.throttled += 1
        return false
    }

    /// Refunds the units charged for a session, because its controller has proven its identity.
    func proved(_ session: AccessorySession) {
        rateLimiter.giveBack(session.cost, to: session.connection.address, now: scheduler.now)
        session.cost = 0
    }

    /// Removes all state of a connection that has ended.
    func forget(_ id: ConnectionID) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        for characteristic in session.subscriptions { subscriptions.unsubscribe(id, from: characteristic) }
        statistics.eventsDropped += UInt64(session.outbox.count)
        attempts.release(id, now: scheduler.now)
        session.task?.cancel()
        if sessions.isEmpty, unfinished == 0 { haveStopped() }
        // M6 will never be written, but the pairing is valid.
        if session.announcesPairing { advertisePairings() }
    }

    // MARK: Requests

    private func receive(_ request: HTTPRequest, on id: ConnectionID) {
        guard let session = sessions[id], !session.hasEnded else { return }
        session.lastReceived = scheduler.now
        if !session.isVerified {
            guard allows(session.connection, session.lastReceived) else {
                session.connection.close()
                forget(id)
                return
            }
            session.cost += 1
        }
        session.isAnswering = true
        session.route = Route(request)
        if request.wantsClose { session.closesAfterAnswer = true }
        handle(request, session)
    }

    /// Runs the asynchronous part of a request, which starts before this method returns.
    func run(_ session: AccessorySession, _ work: @escaping (isolated AccessoryServer) async -> Void) {
        unfinished += 1
        let task = Task.immediate {
            await work(self)
            unfinished -= 1
            if sessions.isEmpty, unfinished == 0 { haveStopped() }
        }
        if session.isAnswering { session.task = task }
    }

    /// Answers the pending request of a session.
    func answer(
        _ session: AccessorySession, _ response: HTTPResponse, thenSecureWith keys: SessionKeys? = nil,
        whenWritten: (@Sendable () -> Void)? = nil
    ) {
        session.isAnswering = false
        session.task = nil
        session.hasEnded = session.closesAfterAnswer || isStopping
        let now = scheduler.now
        statistics.answered(session.route, response.status, after: now - session.lastReceived)
        if session.isCorrected {
            // Home Assistant applies a written value only after it has read all data that arrived with the response.
            // Start an event window, so that the event with the corrected value arrives later.
            session.isCorrected = false
            session.outbox.beginWindow(now: now)
        }
        // The transport may deliver the next request within this call.
        session.connection.respond(response, thenSecureWith: keys, whenWritten: whenWritten)
        if session.hasEnded {
            session.connection.closeAfterWriting()
        } else {
            flush(session, now)
        }
    }

    // MARK: Events

    func subscribe(_ session: AccessorySession, to id: CharacteristicID) {
        if session.subscriptions.insert(id).inserted { subscriptions.subscribe(session.id, to: id) }
    }

    func unsubscribe(_ session: AccessorySession, from id: CharacteristicID) {
        guard session.subscriptions.remove(id) != nil else { return }
        subscriptions.unsubscribe(session.id, from: id)
        session.outbox.forget(id)
    }

    /// Queues events about changed values for the sessions that subscribe to them, and sends the events that are due.
    func publish(_ changes: [CharacteristicChange]) {
        let now = scheduler.now
        var touched: [AccessorySession] = []
        for change in changes {
            let follower = registry.currentState(of: change.id)
            for id in subscriptions[change.id] {
                switch change.audience {
                case .everybodyBut(let upToDate) where upToDate.contains(id): continue
                case .only(let outdated) where !outdated.contains(id): continue
                case .everybody, .everybodyBut, .only: break
                }
                guard let session = sessions[id] else { continue }
                if session.outbox.changed(
                    change.id, to: change.value, isUrgent: change.isUrgent, isMomentary: change.isMomentary,
                    before: follower, now: now)
                {
                    statistics.eventsCoalesced += 1
                }
                if !session.isTouched {
                    session.isTouched = true
                    touched.append(session)
                }
            }
        }
        // Most sessions get the same events, so encode each distinct body only once.
        var bodies: [(entries: [EventOutbox.Entry], body: [UInt8])] = []
        for session in touched {
            session.isTouched = false
            flush(session, now, &bodies)
        }
    }

    func flush(_ session: AccessorySession, _ now: ContinuousClock.Instant) {
        var bodies: [(entries: [EventOutbox.Entry], body: [UInt8])] = []
        flush(session, now, &bodies)
    }

    private func flush(
        _ session: AccessorySession, _ now: ContinuousClock.Instant,
        _ bodies: inout [(entries: [EventOutbox.Entry], body: [UInt8])]
    ) {
        // Never send events between a request and its response, or on a connection that isn't writable.
        guard !session.outbox.isEmpty, !session.isAnswering else { return }
        guard session.connection.isWritable else {
            if let since = session.outbox.waitingSince { wake(at: since + ConnectionPolicy.slowPeerTimeout) }
            return
        }
        switch session.outbox.next(now: now) {
        case .nothing: break
        case .wake(let time): wake(at: time)
        case .send(let entries):
            statistics.eventMessages += 1
            statistics.eventsSent += UInt64(entries.count)
            if let known = bodies.first(where: { $0.entries == entries }) {
                session.connection.sendEvent(body: known.body)
            } else {
                var body = CharacteristicsBody(reserving: entries.count)
                for entry in entries { body.append(entry.id, value: entry.value) }
                let bytes = body.finished()
                bodies.append((entries, bytes))
                session.connection.sendEvent(body: bytes)
            }
            flush(session, now, &bodies)
        }
    }

    // MARK: Time

    private func wake(at time: ContinuousClock.Instant) {
        if let wakeAt, wakeAt <= time { return }
        wakeAt = time
        scheduler.schedule(at: time) { [weak self] in
            self?.assumeIsolated { $0.woke() }
        }
    }

    private func woke() {
        let now = scheduler.now
        guard let due = wakeAt, due <= now else { return }
        wakeAt = nil
        var bodies: [(entries: [EventOutbox.Entry], body: [UInt8])] = []
        for session in Array(sessions.values) {
            if !session.isVerified {
                let deadline = max(session.opened, session.lastReceived) + ConnectionPolicy.unverifiedLifetime
                if deadline <= now, !session.isAnswering {
                    session.connection.close()
                    forget(session.id)
                    continue
                }
                wake(at: max(deadline, now + .seconds(1)))
            }
            if let since = session.outbox.waitingSince, now - since >= ConnectionPolicy.slowPeerTimeout,
                !session.connection.isWritable
            {
                noteStalled(session)
                session.connection.close()
                forget(session.id)
                continue
            }
            flush(session, now, &bodies)
        }
    }

    private func noteStalled(_ session: AccessorySession) {
        logger.info("connection stalled", metadata: ["peer": "\(session.connection.peer)"])
        statistics.stalled += 1
    }
}

// The transport calls these methods on the server's executor, so the calls don't switch threads.
extension AccessoryServer: AccessoryConnectionHandler {
    package nonisolated func opened(_ connection: any AccessoryConnection) {
        assumeIsolated { $0.open(connection) }
    }

    package nonisolated func received(_ request: HTTPRequest, on connection: ConnectionID) {
        assumeIsolated { $0.receive(request, on: connection) }
    }

    package nonisolated func becameWritable(_ connection: ConnectionID) {
        assumeIsolated { server in
            if let session = server.sessions[connection] { server.flush(session, server.scheduler.now) }
        }
    }

    package nonisolated func stalled(_ connection: ConnectionID) {
        assumeIsolated { server in
            if let session = server.sessions[connection] { server.noteStalled(session) }
        }
    }

    package nonisolated func closed(_ connection: ConnectionID) {
        assumeIsolated { $0.forget(connection) }
    }
}
