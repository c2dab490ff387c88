internal import AsyncKit
package import HAPModel
package import HAPProtocol
package import Logging

/// The one connection to a paired accessory server, kept up while ``run()`` runs.
///
/// It trusts no address before pair verify. After each connection it reads the attribute database, unless it has the one of the
/// advertised `c#`, subscribes, and then reads everything readable, so that no change is missed. It follows the browser
/// (``appeared(_:)``). ``LinkMachine`` knows how far the connection is, ``LinkValues`` which values are current. The results are in
/// ``updates``.
package actor AccessoryLink {
    /// The accessory.
    package nonisolated let id: DeviceID
    /// The updates, for one listener.
    package nonisolated let updates = LinkUpdates(PendingUpdates())

    private let pairing: AccessoryPairing
    private let identity: ControllerIdentity
    private let dialer: any AccessoryDialer
    private let timing: ControllerTiming
    private let isForUnpairing: Bool
    private let logger: Logger

    private var machine: LinkMachine<ControllerSession>
    /// The attribute database and the `c#` that it belongs to.
    private var known: (database: AccessoryDatabase, configurationNumber: UInt32)?
    private var values = LinkValues()
    private var subscriptions = SubscriptionReconciler()
    private var push: PushWatch
    private nonisolated let changed = AsyncSignal()
    private nonisolated let stopped = AsyncSignal()
    /// Reads that wait for the next session.
    private var awaitingSession: [AsyncSignal] = []

    /// Creates a link that does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - pairing: the accessory.
    ///   - identity: the controller's identity.
    ///   - dialer: opens connections.
    ///   - database: the database that was read before a restart, and the `c#` it belongs to.
    ///   - timing: the time limits.
    ///   - isForUnpairing: whether the accessory must only remove our pairing, whatever its database; after that, the link reports
    ///     `notPaired`.
    ///   - logger: logs errors.
    package init(
        _ pairing: AccessoryPairing, as identity: ControllerIdentity, dialer: any AccessoryDialer,
        database: (AccessoryDatabase, configurationNumber: UInt32)? = nil,
        timing: ControllerTiming = ControllerTiming(), isForUnpairing: Bool = false, logger: Logger
    ) {
        id = pairing.deviceID
        self.pairing = pairing
        self.identity = identity
        self.dialer = dialer
        self.timing = timing
        self.isForUnpairing = isForUnpairing
        self.logger = logger
        known = database.map { ($0.0, $0.configurationNumber) }
        machine = LinkMachine(timing.reconnect)
        push = PushWatch(quiet: timing.quiet, poll: timing.poll, now: .now)
    }

    // MARK: Life

    /// Keeps the connection up until the caller is canceled or ``stop()`` is called; for one call.
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

    /// Ends all traffic at once and permanently.
    package func stop() async {
        stopped.send()
        let session = machine.stop()
        await session?.close()
    }

    /// The browser sees the accessory, perhaps at another address or with another `c#`; `nil` if it has disappeared.
    ///
    /// A record that disappeared doesn't end a connection: multicast is lost more easily than TCP.
    package func appeared(_ accessory: AdvertisedAccessory?) {
        guard let accessory, accessory.id == id, machine.appeared(accessory, now: .now) else { return }
        changed.send()
    }

    private func keepConnected() async {
        while !Task.isCancelled {
            switch machine.state {
            case .searching:
                report(.searching)
                await changed.wait()
            case .waiting(let time) where time > .now: await changed.wait(until: time)
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

    /// Reports the failure of a round, if it is over.
    private func report(_ failure: LinkFailure?) {
        guard let failure, !Task.isCancelled else { return }
        if case .stopped = machine.state { return }
        logger.info(
            "connection failed",
            metadata: [
                "accessory": "\(id)", "reason": "\(failure)",
                "addresses": .array(machine.tried.map { "\($0)" }),
            ])
        report(.unreachable(failure))
    }

    // MARK: One connection

    private func dial() async {
        let dialed = try? await dialer.dial(timing: timing) { machine.nextAddress() }
        guard let (connection, endpoint) = dialed else {
            return report(machine.ended(share: .random(in: 0...1), now: .now))
        }
        if !machine.answered(ControllerSession(connection), at: endpoint) { connection.close() }
    }

    private func serve(_ session: ControllerSession) async {
        async let carrying: SessionEnd = carry(session)
        let end = await use(session)
        let failure = machine.ended(end, share: .random(in: 0...1), now: .now)
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

    /// Proves the identities, and uses the session until it ends.
    private func use(_ session: ControllerSession) async -> LinkFailure {
        do {
            try await session.pairVerify(pairing, as: identity, within: timing.request)
            guard machine.verified(now: .now) else { return .ended(.closed) }
            if isForUnpairing {
                // Nothing else: this must work with an unusable database.
                _ = try await session.pairings(.remove(identity.controller), within: timing.request)
                return .notPaired
            }
            try await synchronize(session)
            push.connected(now: .now)
            report(.connected)
            sessionCame()
            try await keep(session)
            return .ended(await session.end ?? .closed)
        } catch {
            return LinkFailure(error)
        }
    }

    /// Looks after a session until it ends.
    private func keep(_ session: ControllerSession) async throws {
        while await session.end == nil, machine.session === session, !Task.isCancelled {
            if machine.accessory?.configurationNumber != known?.configurationNumber { try await synchronize(session) }
            try await reconcileSubscriptions(session)
            try await readUncertain(session)
            if push.dueAt <= .now { try await check(session) }
            guard await session.end == nil else { break }
            await changed.wait(until: push.dueAt)
        }
    }

    /// Wakes the reads that wait for a session, or for the end of the link.
    private func sessionCame() {
        for signal in awaitingSession { signal.send() }
        awaitingSession = []
    }

    // MARK: Database and values

    /// Updates everything: the database if it may have changed, the subscriptions, and then the values.
    private func synchronize(_ session: ControllerSession) async throws {
        let isFresh = try await readDatabase(session)
        subscriptions.begin()
        try await reconcileSubscriptions(session, reads: isFresh)
        // The values in a fresh database are current.
        guard !isFresh, let database = known?.database else { return }
        try await read(database.readable, of: database, on: session)
    }

    /// Reads the database unless the known one is the advertised one.
    ///
    /// - Returns: whether it was read.
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

    /// Reads values, and reports them unless an event or a write has changed them meanwhile.
    ///
    /// - Returns: the answer, and the characteristics whose value differs from the known one although we didn't write it.
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

    /// Reads the values that may be wrong: an event has contradicted a write, or an answer is lost.
    private func readUncertain(_ session: ControllerSession) async throws {
        let ids = values.takeUncertain()
        guard !ids.isEmpty, let database = known?.database else { return }
        try await read(database.canRead(ids.sorted()), of: database, on: session)
    }

    /// Reads values: a change without an event shows that the accessory loses events.
    ///
    /// Skips battery-powered accessories, because a read wakes them, except after dropped events. If nothing remains, the answer to
    /// any read still shows that the connection lives.
    private func check(_ session: ControllerSession) async throws {
        guard let database = known?.database else { return }
        let check = push.begin(now: .now)
        let batteryPowered = check == .everything ? [] : database.batteryPowered
        let all = database.canRead(subscriptions.desired.filter { !batteryPowered.contains($0.aid) }.sorted())
        let ids = all.isEmpty ? Array(database.readable.prefix(1)) : push.batch(of: all, for: check)
        let expected = values.beginCheck(of: ids, reported: check == .events ? subscriptions.confirmed : [])
        let hasMissedEvents = !expected.isDisjoint(with: try await read(ids, of: database, on: session).changed)
        if hasMissedEvents, !push.isPolling {
            logger.info(
                "accessory polled", metadata: ["accessory": "\(self.id)", "reason": "it lost events"])
        }
        push.looked(hasMissedEvents: hasMissedEvents, now: .now)
    }

    /// An event came; only those of the current session count.
    func received(event body: [UInt8], on session: ControllerSession) async {
        guard let answers = CharacteristicAnswer.list(parsing: body) else {
            await session.close(.badAnswer)
            return
        }
        guard session === machine.session, let database = known?.database else { return }
        push.eventCame(now: .now)
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
        if values.reported(readings, now: .now) { changed.send() }
        if !readings.isEmpty { updates.post(.values(readings)) }
    }

    /// Events were dropped, because there were too many: their values are read a little later.
    private func droppedEvents(on session: ControllerSession) {
        guard session === machine.session else { return }
        if push.dropped(now: .now) {
            logger.warning("accessory events dropped", metadata: ["accessory": "\(id)", "reason": "it sends too many"])
        }
        changed.send()
    }

    // MARK: Subscriptions

    /// The characteristics that the accessory reports on this connection.
    package var reported: Set<CharacteristicID> { subscriptions.confirmed }

    /// Subscribes to exactly these characteristics, on this connection and every later one; skips unknown ones and those without
    /// events.
    package func desire(_ ids: Set<CharacteristicID>) {
        _ = subscriptions.desire(ids)
        changed.send()
    }

    /// Subscribes again to the refused characteristics of a bridged accessory that has become reachable.
    package func retrySubscriptions(of aid: AccessoryID) {
        subscriptions.retry(aid)
        changed.send()
    }

    /// As ``desire(_:)``, and waits for the answers about new characteristics, whose values are read, too.
    ///
    /// - Parameters:
    ///   - ids: the characteristics.
    ///   - kept: the characteristics that stay desired if they are.
    ///   - retried: the characteristics to request again if the accessory refused them.
    /// - Returns: the outcome for each new or retried characteristic.
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

    /// Subscribes and unsubscribes, all pending characteristics at once, and reads the newly subscribed ones.
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

    /// Reads characteristics from the accessory; current values are in ``updates``, too.
    ///
    /// An accessory that doesn't take the connection for a session any more (HTTP 470) is asked once more over the next one.
    ///
    /// - Returns: a value or a status for each.
    /// - Throws: ``LinkError``.
    package func read(
        _ ids: some Sequence<CharacteristicID> & Sendable
    ) async throws(LinkError) -> [CharacteristicID: Reading] {
        do throws(LinkError) {
            return try await readOnce(ids)
        } catch .request(.ended(.notAuthorized)) {
            let signal = AsyncSignal()
            awaitingSession.append(signal)
            await signal.wait(until: .now + timing.request)
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

    /// Characteristics are about to be written: answers to earlier reads are no longer reported, because they are older.
    package func willWrite(_ ids: some Sequence<CharacteristicID>) { values.willWrite(ids) }

    /// Writes characteristics, in one request where that is possible; the accessory reports it to others, not to us.
    ///
    /// - Parameters:
    ///   - writes: the values.
    ///   - isTimed: whether all are timed writes, even where the characteristic doesn't require it.
    /// - Returns: the outcome for each.
    /// - Throws: ``LinkError``.
    package func write(
        _ writes: [AccessoryWrite], isTimed: Bool = false
    ) async throws(LinkError) -> [CharacteristicID: WriteOutcome] {
        let (session, database) = try current()
        values.writing(writes, now: .now)
        do throws(RequestError) {
            let outcomes = try await session.write(writes, of: database, isTimed: isTimed, timing: timing)
            guard session === machine.session else { return outcomes }
            for write in writes where outcomes[write.id]?.status == .success && database.canRead(write.id) {
                values.wrote(outcomes[write.id]?.response ?? write.value, to: write.id, now: .now)
            }
            return outcomes
        } catch {
            if error == .canceled, session === machine.session { lostAnswer(about: writes.map(\.id)) }
            throw .request(error)
        }
    }

    /// Has the values of characteristics read, because the answer with them is lost with its canceled caller.
    private func lostAnswer(about ids: [CharacteristicID]) {
        values.lostAnswer(about: ids)
        changed.send()
    }

    /// Asks an accessory to show which one it is.
    ///
    /// - Returns: what became of it; `doesNotExist` for an accessory that has no way to do that.
    /// - Throws: ``LinkError``.
    package func identify(_ aid: AccessoryID) async throws(LinkError) -> HAPStatus {
        let (_, database) = try current()
        let location = database.characteristics.first { $0.id.aid == aid && $0.characteristic.type == .identify }
        guard let location else { return .doesNotExist }
        return try await write([AccessoryWrite(location.id, .bool(true))])[location.id]?.status ?? .doesNotExist
    }

    /// Lists, adds or removes pairings of other controllers, for which we must be an admin.
    ///
    /// - Throws: ``PairingsError``.
    package func pairings(_ request: PairingsRequest) async throws(PairingsError) -> PairingsResponse {
        guard let session = machine.session else { throw .notConnected }
        return try await session.pairings(request, within: timing.request)
    }

    /// Takes our own pairing back at the accessory, and stops.
    ///
    /// - Throws: ``PairingsError``; the link goes on.
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
    /// Everything that can be read and means something when it is.
    fileprivate var readable: [CharacteristicID] {
        characteristics.filter { $0.characteristic.isReadable }.map(\.id)
    }

    /// The accessories with a battery service.
    fileprivate var batteryPowered: Set<AccessoryID> {
        Set(accessories.filter { $0.services.contains { $0.type == .battery } }.map(\.aid))
    }

    fileprivate func canRead(_ id: CharacteristicID) -> Bool { self[id]?.isReadable ?? false }

    fileprivate func canRead(_ ids: [CharacteristicID]) -> [CharacteristicID] { ids.filter { canRead($0) } }

    /// Whether it reports its changes.
    fileprivate func reports(_ id: CharacteristicID) -> Bool {
        self[id]?.metadata.permissions.contains(.notify) ?? false
    }
}

extension Characteristic {
    fileprivate var isReadable: Bool { metadata.permissions.contains(.pairedRead) && !type.isMomentary }
}
