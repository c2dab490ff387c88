package import AsyncKit
package import HAPModel
package import HAPProtocol
package import Logging

/// The connection to a paired accessory server, maintained while ``run()`` runs.
///
/// The link trusts no address before pair verify. After connecting, it reads the attribute database, unless it already
/// knows the database with the advertised `c#`. It then subscribes to the desired characteristics and reads all
/// readable characteristics, so that it misses no change. The browser's owner reports the accessory's record through
/// ``appeared(_:shortensPause:)``, and the link delivers its results in ``updates``. ``LinkMachine`` holds the state of
/// the connection, and ``LinkValues`` holds the known characteristic values.
package actor AccessoryLink {
    /// The device id of the accessory.
    package nonisolated let id: DeviceID
    /// The updates, for a single listener.
    package nonisolated let updates = LinkUpdates(PendingUpdates())

    private let pairing: AccessoryPairing
    private let identity: ControllerIdentity
    private let dialer: any AccessoryDialer
    private let timing: ControllerTiming
    private let isForUnpairing: Bool
    nonisolated let clock: any MonotonicClock
    private let counts: ControllerCounts
    private let logger: Logger

    private var machine: LinkMachine<ControllerSession>
    /// The attribute database and its `c#`.
    private var known: (database: AccessoryDatabase, configurationNumber: UInt32)?
    private var values = LinkValues()
    private var subscriptions = SubscriptionReconciler()
    private var push: PushWatch
    private nonisolated let changed: AsyncSignal
    private nonisolated let stopped = AsyncSignal()
    /// The signals that wake the reads that wait for the next session.
    private var awaitingSession: [AsyncSignal] = []

    /// Creates a link, which does nothing until ``run()`` is called.
    ///
    /// - Parameters:
    ///   - pairing: The pairing with the accessory.
    ///   - identity: The controller's identity.
    ///   - dialer: The dialer that opens connections.
    ///   - database: The attribute database stored before a restart, with its `c#`; `nil` to read it.
    ///   - timing: The time limits.
    ///   - isForUnpairing: Whether the link only removes this controller's pairing, without reading the database, and
    ///     then reports `notPaired`.
    ///   - clock: The clock for all time limits and pauses.
    ///   - counts: The counts that the link updates.
    ///   - logger: The logger.
    package init(
        _ pairing: AccessoryPairing, as identity: ControllerIdentity, dialer: any AccessoryDialer,
        database: (AccessoryDatabase, configurationNumber: UInt32)? = nil,
        timing: ControllerTiming = ControllerTiming(), isForUnpairing: Bool = false,
        clock: any MonotonicClock = ContinuousClock(), counts: ControllerCounts = ControllerCounts(), logger: Logger
    ) {
        id = pairing.deviceID
        self.pairing = pairing
        self.identity = identity
        self.dialer = dialer
        self.timing = timing
        self.isForUnpairing = isForUnpairing
        self.clock = clock
        self.counts = counts
        changed = AsyncSignal(clock: clock)
        self.logger = logger
        known = database.map { ($0.0, $0.configurationNumber) }
        machine = LinkMachine(timing.reconnect)
        push = PushWatch(quiet: timing.quiet, poll: timing.poll, now: clock.now)
    }

    // MARK: Lifecycle

    /// Maintains the connection until the caller is canceled or ``stop()`` is called; call this method only once.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.keepConnected() }
            group.addTask { await self.stopped.wait() }
            await group.next()
            group.cancelAll()
        }
        await stop()
        sessionCame()
        report(.stopped)
        updates.finish()
    }

    /// Ends all traffic immediately and permanently.
    package func stop() async {
        stopped.send()
        let session = machine.stop()
        await session?.close()
    }

    /// Updates the accessory's record, for example with a new address or `c#`.
    ///
    /// A missing record doesn't end a connection, because multicast is less reliable than TCP.
    ///
    /// - Parameters:
    ///   - accessory: The record; `nil` if the record has disappeared.
    ///   - shortensPause: Whether a changed record is a reason to connect sooner.
    package func appeared(_ accessory: AdvertisedAccessory?, shortensPause: Bool = true) {
        guard let accessory, accessory.id == id,
            machine.appeared(accessory, shortensPause: shortensPause, now: clock.now)
        else { return }
        changed.send()
    }

    private func keepConnected() async {
        while !Task.isCancelled {
            switch machine.state {
            case .searching:
                report(.searching)
                await changed.wait()
            case .waiting(let time) where time > clock.now: await changed.wait(until: time)
            case .waiting:
                machine.begin()
                report(.connecting)
            case .dialing: await dial()
            case .verifying(let session, _), .verified(let session): await serve(session)
            case .stopped: return
            }
        }
    }

    private func report(_ state: LinkState) { updates.post(.state(state)) }

    /// Reports the failure of a finished round of connection attempts; does nothing for `nil`.
    private func report(_ failure: LinkFailure?) {
        guard let failure, !Task.isCancelled else { return }
        if case .stopped = machine.state { return }
        logger.info(
            "connection failed",
            metadata: [
                "accessory": "\(id)", "reason": "\(failure)",
                "addresses": .array(machine.tried.map { "\($0)" }),
            ])
        counts.count(\.failedConnections)
        report(.unreachable(failure))
    }

    // MARK: One connection

    private func dial() async {
        let dialed = try? await dialer.dial(timing: timing) { machine.nextAddress() }
        guard let (connection, endpoint) = dialed else {
            return report(machine.ended(share: .random(in: 0...1), now: clock.now))
        }
        let session = ControllerSession(connection, clock: clock, counts: counts)
        if !machine.answered(session, at: endpoint) { connection.close() }
    }

    private func serve(_ session: ControllerSession) async {
        async let carrying: SessionEnd = carry(session)
        let end = await use(session)
        let failure = machine.ended(end, share: .random(in: 0...1), now: clock.now)
        push.sessionEnded()
        values.sessionEnded()
        await session.close()
        _ = await carrying
        report(failure)
    }

    private func carry(_ session: ControllerSession) async -> SessionEnd {
        let end = await session.run { [weak self] body in
            await self?.received(event: body, on: session)
        } onDrop: { [weak self] in
            await self?.droppedEvents(on: session)
        }
        changed.send()
        return end
    }

    /// Performs pair verify, and uses the session until it ends.
    private func use(_ session: ControllerSession) async -> LinkFailure {
        do {
            try await session.pairVerify(pairing, as: identity, within: timing.request)
            guard machine.verified(now: clock.now) else { return .ended(.closed) }
            if isForUnpairing {
                // Don't read the database first, because unpairing must work even if the database is unusable.
                _ = try await session.pairings(.remove(identity.controller), within: timing.request)
                return .notPaired
            }
            try await synchronize(session)
            push.connected(now: clock.now)
            counts.count(\.sessions)
            report(.connected)
            sessionCame()
            try await keep(session)
            return .ended(await session.end ?? .closed)
        } catch {
            return LinkFailure(error)
        }
    }

    /// Keeps the database, subscriptions and values of a session up to date until it ends.
    private func keep(_ session: ControllerSession) async throws {
        while await session.end == nil, machine.session === session, !Task.isCancelled {
            if machine.accessory?.configurationNumber != known?.configurationNumber { try await synchronize(session) }
            try await reconcileSubscriptions(session)
            try await readUncertain(session)
            if push.dueAt <= clock.now { try await check(session) }
            guard await session.end == nil else { break }
            await changed.wait(until: push.dueAt)
        }
    }

    /// Wakes the reads that wait for a session, because a session has begun or the link has ended.
    private func sessionCame() {
        for signal in awaitingSession { signal.send() }
        awaitingSession = []
    }

    // MARK: Database and values

    /// Reads the database if it may have changed, renews the subscriptions, and reads the values unless the database
    /// contained them.
    private func synchronize(_ session: ControllerSession) async throws {
        let isFresh = try await readDatabase(session)
        subscriptions.begin()
        try await reconcileSubscriptions(session, reads: isFresh)
        // The values in a fresh database are current.
        guard !isFresh, let database = known?.database else { return }
        try await read(database.readable, of: database, on: session)
    }

    /// Reads the database, unless the known database has the advertised `c#`.
    ///
    /// - Returns: Whether the database was read.
    private func readDatabase(_ session: ControllerSession) async throws -> Bool {
        guard let advertised = machine.accessory?.configurationNumber, advertised != known?.configurationNumber else {
            return false
        }
        let database = try await session.readDatabase(within: timing.database)
        database.logOmissions(of: id, by: logger)
        known = (database, advertised)
        values.begin(with: database)
        updates.post(.database(database, configurationNumber: advertised))
        return true
    }

    /// Reads values, and reports them unless an event or a write has changed them in the meantime.
    ///
    /// - Returns: The response, and the characteristics whose value changed without a write by this controller.
    @discardableResult
    private func read(
        _ ids: some Sequence<CharacteristicID> & Sendable, of database: AccessoryDatabase, on session: ControllerSession
    ) async throws(RequestError) -> (answer: [CharacteristicID: Reading], changed: Set<CharacteristicID>) {
        let began = values.changes
        let answer = try await session.read(ids, of: database, within: timing.request)
        guard session === machine.session else { return (answer, []) }
        let current = values.current(answer, since: began).filter { database[$0.key] != nil }
        if !current.isEmpty { updates.post(.values(current)) }
        return (answer, values.learned(current))
    }

    /// Reads the values that may be wrong, because an event contradicts a write or a response was lost.
    private func readUncertain(_ session: ControllerSession) async throws {
        let ids = values.takeUncertain()
        guard !ids.isEmpty, let database = known?.database else { return }
        try await read(database.canRead(ids.sorted()), of: database, on: session)
    }

    /// Reads values to check for lost events: a change without an event shows that the accessory loses events.
    ///
    /// Unless the session dropped events, the check skips battery-powered accessories, because a read wakes them up. If
    /// no characteristic remains, it reads any readable characteristic to verify that the connection works.
    private func check(_ session: ControllerSession) async throws {
        guard let database = known?.database else { return }
        let check = push.begin(now: clock.now)
        let batteryPowered = check == .everything ? [] : database.batteryPowered
        let all = database.canRead(subscriptions.desired.filter { !batteryPowered.contains($0.aid) }.sorted())
        let ids = all.isEmpty ? Array(database.readable.prefix(1)) : push.batch(of: all, for: check)
        let expected = values.beginCheck(of: ids, reported: check == .events ? subscriptions.confirmed : [])
        let hasMissedEvents = !expected.isDisjoint(with: try await read(ids, of: database, on: session).changed)
        if hasMissedEvents, !push.isPolling {
            logger.info(
                "accessory polled", metadata: ["accessory": "\(self.id)", "reason": "it lost events"])
        }
        push.looked(hasMissedEvents: hasMissedEvents, now: clock.now)
    }

    /// Processes an event, unless it belongs to an earlier session.
    func received(event body: [UInt8], on session: ControllerSession) async {
        guard let answers = CharacteristicAnswer.list(parsing: body) else {
            await session.close(.badAnswer)
            return
        }
        guard session === machine.session, let database = known?.database else { return }
        push.eventCame(now: clock.now)
        var readings: [CharacteristicID: Reading] = [:]
        for answer in answers {
            guard let characteristic = database[answer.id], let json = answer.value,
                let value = characteristic.metadata.reported(json)
            else { continue }
            if characteristic.type.isMomentary {
                updates.post(.occurrence(answer.id, value))
            } else {
                readings[answer.id] = .success(value)
            }
        }
        if values.reported(readings, now: clock.now) { changed.send() }
        if !readings.isEmpty { updates.post(.values(readings)) }
    }

    /// Schedules a read of the values, because the accessory sent so many events that the session dropped some.
    private func droppedEvents(on session: ControllerSession) {
        guard session === machine.session else { return }
        if push.dropped(now: clock.now) {
            logger.warning("accessory events dropped", metadata: ["accessory": "\(id)", "reason": "it sends too many"])
        }
        changed.send()
    }

    // MARK: Subscriptions

    /// The characteristics whose changes the accessory reports on this connection.
    package var reported: Set<CharacteristicID> { subscriptions.confirmed }

    /// Subscribes to exactly the given characteristics, on this connection and later ones.
    ///
    /// Unknown characteristics and characteristics without events are skipped.
    package func desire(_ ids: Set<CharacteristicID>) {
        _ = subscriptions.desire(ids)
        changed.send()
    }

    /// Requests the refused subscriptions of a bridged accessory again, because the accessory has become reachable.
    package func retrySubscriptions(of aid: AccessoryID) {
        subscriptions.retry(aid)
        changed.send()
    }

    /// Subscribes like ``desire(_:)``, waits for the responses to new subscriptions, and reads the subscribed
    /// characteristics.
    ///
    /// - Parameters:
    ///   - ids: The characteristics.
    ///   - kept: The characteristics that remain desired if they are desired already.
    ///   - retried: The characteristics to request again if the accessory refused them earlier.
    /// - Returns: The outcome for each new or retried characteristic.
    package func observe(
        _ ids: Set<CharacteristicID>, keeping kept: Set<CharacteristicID> = [],
        insistingOn retried: Set<CharacteristicID> = []
    ) async -> [CharacteristicID: SubscriptionOutcome] {
        let new = subscriptions.desire(ids, keeping: kept, retrying: retried)
        changed.send()
        guard !new.isEmpty else { return [:] }
        guard let (session, database) = try? current() else {
            return Dictionary(uniqueKeysWithValues: new.map { ($0, .pending) })
        }
        do throws(RequestError) {
            var statuses: [CharacteristicID: HAPStatus] = [:]
            for id in new where !database.reports(id) { statuses[id] = .notificationNotSupported }
            if case .subscribe(let batch)? = subscriptions.next(reports: { new.contains($0) && database.reports($0) }) {
                statuses.merge(try await subscribe(batch, of: database, on: session)) { $1 }
            }
            return statuses.mapValues { $0 == .success ? .confirmed : .refused($0) }
        } catch {
            return Dictionary(uniqueKeysWithValues: new.map { ($0, .failed(error)) })
        }
    }

    /// Sends all pending subscriptions and unsubscriptions, and reads the newly subscribed characteristics.
    private func reconcileSubscriptions(_ session: ControllerSession, reads: Bool = true) async throws {
        guard let database = known?.database else { return }
        while let batch = subscriptions.next(reports: database.reports) {
            switch batch {
            case .subscribe(let ids): _ = try await subscribe(ids, of: database, on: session, reads: reads)
            case .unsubscribe(let ids): _ = try await session.subscribe(ids, false, timing: timing)
            }
        }
    }

    private func subscribe(
        _ ids: [CharacteristicID], of database: AccessoryDatabase, on session: ControllerSession, reads: Bool = true
    ) async throws(RequestError) -> [CharacteristicID: HAPStatus] {
        do throws(RequestError) {
            let statuses = try await session.subscribe(ids, true, timing: timing)
            guard session === machine.session else { return statuses }
            subscriptions.answered(statuses)
            if reads { try await read(database.canRead(ids), of: database, on: session) }
            return statuses
        } catch {
            if error == .canceled, session === machine.session {
                subscriptions.lostAnswer(about: ids)
                lostAnswer(about: ids)
            }
            throw error
        }
    }

    // MARK: Requests

    /// Reads characteristics from the accessory.
    ///
    /// ``updates`` delivers the values, too, unless they are already out of date.
    ///
    /// If the accessory no longer accepts the session (HTTP 401, 403 or 470), the read is repeated once in the next
    /// session.
    ///
    /// - Returns: A value or a status for each characteristic.
    /// - Throws: ``LinkError``.
    package func read(
        _ ids: some Sequence<CharacteristicID> & Sendable
    ) async throws(LinkError) -> [CharacteristicID: Reading] {
        do throws(LinkError) {
            return try await readOnce(ids)
        } catch .request(.ended(.notAuthorized)) {
            let signal = AsyncSignal(clock: clock)
            awaitingSession.append(signal)
            await signal.wait(until: clock.now + timing.request)
            guard !Task.isCancelled else { throw .request(.canceled) }
            return try await readOnce(ids)
        }
    }

    private func readOnce(
        _ ids: some Sequence<CharacteristicID> & Sendable
    ) async throws(LinkError) -> [CharacteristicID: Reading] {
        let (session, database) = try current()
        do throws(RequestError) {
            return try await read(ids, of: database, on: session).answer
        } catch {
            throw .request(error)
        }
    }

    /// Discards the results of pending reads of the given characteristics, because a write follows.
    package func willWrite(_ ids: some Sequence<CharacteristicID>) { values.willWrite(ids) }

    /// Writes characteristics, in one request if possible.
    ///
    /// The accessory notifies other controllers of the change, but not this one.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - isTimed: Whether to use timed writes even for characteristics that don't require them.
    /// - Returns: The outcome of each write.
    /// - Throws: ``LinkError``.
    package func write(
        _ writes: [AccessoryWrite], isTimed: Bool = false
    ) async throws(LinkError) -> [CharacteristicID: WriteOutcome] {
        let (session, database) = try current()
        values.writing(writes, now: clock.now)
        do throws(RequestError) {
            let outcomes = try await session.write(writes, of: database, isTimed: isTimed, timing: timing)
            guard session === machine.session else { return outcomes }
            for write in writes where outcomes[write.id]?.status == .success && database.canRead(write.id) {
                values.wrote(outcomes[write.id]?.response ?? write.value, to: write.id, now: clock.now)
            }
            return outcomes
        } catch {
            if error == .canceled, session === machine.session { lostAnswer(about: writes.map(\.id)) }
            throw .request(error)
        }
    }

    /// Schedules a read of the given characteristics, because a canceled caller missed a response about them.
    private func lostAnswer(about ids: [CharacteristicID]) {
        values.lostAnswer(about: ids)
        changed.send()
    }

    /// Makes an accessory identify itself.
    ///
    /// - Returns: The status of the request; `doesNotExist` if the accessory has no Identify characteristic.
    /// - Throws: ``LinkError``.
    package func identify(_ aid: AccessoryID) async throws(LinkError) -> HAPStatus {
        let (_, database) = try current()
        let location = database.characteristics.first { $0.id.aid == aid && $0.characteristic.type == .identify }
        guard let location else { return .doesNotExist }
        return try await write([AccessoryWrite(location.id, .bool(true))])[location.id]?.status ?? .doesNotExist
    }

    /// Lists, adds or removes pairings; this controller must be an admin.
    ///
    /// - Throws: ``PairingsError``.
    package func pairings(_ request: PairingsRequest) async throws(PairingsError) -> PairingsResponse {
        guard let session = machine.session else { throw .notConnected }
        return try await session.pairings(request, within: timing.request)
    }

    /// Removes this controller's pairing from the accessory, and stops the link.
    ///
    /// - Throws: ``PairingsError``; in this case, the link keeps running.
    package func unpair() async throws(PairingsError) {
        _ = try await pairings(.remove(identity.controller))
        await stop()
    }

    private func current() throws(LinkError) -> (ControllerSession, AccessoryDatabase) {
        guard let session = machine.session, let database = known?.database else { throw .notConnected }
        return (session, database)
    }
}

extension AccessoryDatabase {
    /// The readable characteristics with a lasting value; buttons have none.
    fileprivate var readable: [CharacteristicID] {
        characteristics.filter { $0.characteristic.isReadable }.map(\.id)
    }

    /// The accessories with a battery service.
    fileprivate var batteryPowered: Set<AccessoryID> {
        Set(accessories.filter { $0.services.contains { $0.type == .battery } }.map(\.aid))
    }

    fileprivate func canRead(_ id: CharacteristicID) -> Bool { self[id]?.isReadable ?? false }

    fileprivate func canRead(_ ids: [CharacteristicID]) -> [CharacteristicID] { ids.filter { canRead($0) } }

    /// Returns whether the accessory reports changes of a characteristic.
    fileprivate func reports(_ id: CharacteristicID) -> Bool {
        self[id]?.metadata.permissions.contains(.notify) ?? false
    }
}

extension CharacteristicObject {
    fileprivate var isReadable: Bool { metadata.permissions.contains(.pairedRead) && !type.isMomentary }
}
