internal import AsyncKit
internal import Dialing
package import HAPModel
package import HAPProtocol
package import Logging

/// The one connection to an accessory server that we are paired with, kept up for as long as ``run()`` runs.
///
/// It trusts no address before pair verify. After each connection it reads the attribute database, unless it holds the
/// one of the advertised `c#`, subscribes to what is wanted, and then reads everything that can be read, so that nothing
/// that happened meanwhile is missed. It follows what the browser sees (``appeared(_:)``), and connects again by
/// ``ReconnectPolicy``. What it learns is in ``updates``.
package actor AccessoryLink {
    /// The accessory.
    package nonisolated let id: DeviceID
    /// What it learns, for one listener.
    package nonisolated let updates = LinkUpdates(PendingUpdates())

    private let pairing: AccessoryPairing
    private let identity: ControllerIdentity
    private let dialer: any AccessoryDialer
    private let timing: ControllerTiming
    private let isForUnpairing: Bool
    private let logger: Logger

    // Where the accessory is, and when it is tried next.
    private var discovered: AdvertisedAccessory?
    private var candidates = Candidates<AccessoryEndpoint>()
    private var policy: ReconnectPolicy
    private var retryAt = ContinuousClock.now
    private nonisolated let changed = AsyncSignal()
    private nonisolated let stopped = AsyncSignal()
    private var isStopped = false

    // What it consists of, and the values.
    private var database: AccessoryDatabase?
    private var configurationNumber: UInt32?
    private var known: [CharacteristicID: CharacteristicValue] = [:]
    /// How many events have come, and the number of the last one for each characteristic; writes count as such.
    private var events = 0
    private var reportedAt: [CharacteristicID: Int] = [:]
    /// Our own writes since the last look: what they led to is not reported to us (HAP 10.2).
    private var written: Set<CharacteristicID> = []

    /// Our newest writes: an event that contradicts one may be older than it.
    private var recentWrites: [CharacteristicID: (value: CharacteristicValue, time: ContinuousClock.Instant)] = [:]
    private var contradicted: Set<CharacteristicID> = []

    // What it is to report, and how it is caught not reporting.
    private var subscriptions = SubscriptionReconciler()
    private var push: PushWatch
    /// The last value that was read to find lost events.
    private var lastChecked: CharacteristicID?
    /// When everything that is reported must be read again, because events were dropped.
    private var rereadAt: ContinuousClock.Instant?
    private var hasDroppedEvents = false

    /// The connection, also while it is not verified yet.
    private var connection: ControllerSession?
    private var isVerified = false
    /// Reads that wait for the next session.
    private var awaitingSession: [AsyncSignal] = []

    /// The time within which an event may be older than a write.
    private static let recentWriteTime = Duration.seconds(1)

    /// Makes a link that does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - pairing: whom to connect to.
    ///   - identity: who we are.
    ///   - dialer: how to connect.
    ///   - database: what was read before a restart, and the `c#` it belongs to.
    ///   - timing: how long to wait for what.
    ///   - isForUnpairing: whether the accessory is only to remove our pairing, whatever it consists of; once it has, the
    ///     link says `notPaired`.
    ///   - logger: where errors are logged.
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
        self.database = database?.0
        configurationNumber = database?.configurationNumber
        policy = ReconnectPolicy(timing.reconnect)
        push = PushWatch(quiet: timing.quiet, poll: timing.poll, now: .now)
    }

    // MARK: Life

    /// Keeps the connection up until the caller is cancelled or ``stop()`` is called; to be run once.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.keepConnected() }
            group.addTask { await self.stopped.wait() }
            await group.next()
            group.cancelAll()
        }
        isStopped = true
        sessionCame()
        report(.stopped)
        updates.finish()
    }

    /// Ends all traffic at once, for good.
    package func stop() async {
        isStopped = true
        stopped.send()
        await connection?.close()
    }

    /// The browser sees the accessory, perhaps elsewhere or with another `c#`; `nil` when it is seen no more.
    ///
    /// A record that disappeared does not end a connection that stands: multicast is lost more easily than TCP.
    package func appeared(_ accessory: AdvertisedAccessory?) {
        guard let accessory, accessory.id == id, accessory != discovered else { return }
        discovered = accessory
        candidates.update(accessory.endpoints)
        retryAt = policy.appeared(next: retryAt)
        changed.send()
    }

    private func keepConnected() async {
        while !isStopped, !Task.isCancelled {
            guard discovered != nil else {
                report(.searching)
                await changed.wait()
                continue
            }
            report(.connecting)
            let failure = await connect()
            guard !isStopped, !Task.isCancelled else { return }
            logger.info(
                "connection failed",
                metadata: [
                    "accessory": "\(id)", "reason": "\(failure)",
                    "addresses": .array(candidates.tried.map { "\($0)" }),
                ])
            retryAt = policy.ended(isRefused: failure == .notPaired, share: .random(in: 0...1), now: .now)
            report(.unreachable(failure))
            while retryAt > .now, !isStopped, !Task.isCancelled { await changed.wait(until: retryAt) }
        }
    }

    private func report(_ state: LinkState) { updates.post(.state(state)) }

    // MARK: One connection

    /// Tries every address until one is the accessory's, and serves the session there until it ends.
    private func connect() async -> LinkFailure {
        candidates.begin()
        var failure = LinkFailure.unreachable
        while !isStopped, !Task.isCancelled {
            let dialed = try? await dialer.dial(timing: timing) { candidates.next() }
            guard let (connection, endpoint) = dialed else { break }
            candidates.answered(endpoint)
            let (reason, wasVerified) = await serve(ControllerSession(connection))
            if wasVerified { return reason }
            // A peer without a proven identity has no say in where else to look, and doesn't end the pairing.
            if failure != .notPaired { failure = reason }
        }
        return failure
    }

    private func serve(_ session: ControllerSession) async -> (LinkFailure, wasVerified: Bool) {
        connection = session
        async let carrying: SessionEnd = carry(session)
        let failure = isStopped ? .ended(.closed) : await use(session)
        let wasVerified = isVerified
        isVerified = false
        connection = nil
        (rereadAt, hasDroppedEvents) = (nil, false)
        (recentWrites, contradicted) = ([:], [])
        await session.close()
        _ = await carrying
        return (failure, wasVerified)
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

    private func use(_ session: ControllerSession) async -> LinkFailure {
        do throws(VerifyError) {
            try await session.pairVerify(pairing, as: identity, within: timing.request)
        } catch {
            switch error {
            case .notPaired: return .notPaired
            case .notGenuine: return .notGenuine
            case .otherAccessory: return .otherAccessory
            case .busy: return .busy
            case .ended(let end): return .ended(end)
            }
        }
        isVerified = true
        candidates.confirm()
        policy.connected(now: .now)
        if isForUnpairing { return await removePairing(on: session) }
        do throws(SetupError) {
            try await synchronise(session)
            push.connected(now: .now)
            report(.connected)
            sessionCame()
            try await keep(session)
            return .ended(await session.end ?? .closed)
        } catch {
            switch error {
            case .outOfCompliance(let error): return .outOfCompliance(error)
            case .ended(let end, _): return .ended(end)
            default: return .ended(.badAnswer)
            }
        }
    }

    /// Takes our pairing back, and nothing else: that must work with an accessory whose database is of no use.
    private func removePairing(on session: ControllerSession) async -> LinkFailure {
        do throws(PairingsError) {
            _ = try await session.pairings(.remove(identity.controller), within: timing.request)
            return .notPaired
        } catch {
            if case .request(.ended(let end)) = error { return .ended(end) }
            return .ended(.badAnswer)
        }
    }

    /// Looks after a session that stands until it ends.
    private func keep(_ session: ControllerSession) async throws(SetupError) {
        while await session.end == nil, !isStopped, !Task.isCancelled {
            if let number = discovered?.configurationNumber, number != configurationNumber {
                try await synchronise(session)
            }
            try await reconcileSubscriptions(session)
            try await readContradicted(session)
            if min(push.dueAt, rereadAt ?? push.dueAt) <= .now { try await look(session) }
            guard await session.end == nil else { break }
            await changed.wait(until: min(push.dueAt, rereadAt ?? push.dueAt))
        }
    }

    /// Reads the values once that an event has contradicted soon after a write.
    private func readContradicted(_ session: ControllerSession) async throws(SetupError) {
        guard !contradicted.isEmpty, let database else { return }
        let ids = database.canRead(contradicted.sorted())
        contradicted = []
        do throws(RequestError) {
            learned(try await read(ids, of: database, on: session))
        } catch {
            throw SetupError(error)
        }
    }

    /// There is a session again, or there never will be.
    private func sessionCame() {
        for signal in awaitingSession { signal.send() }
        awaitingSession = []
    }

    // MARK: What it consists of, and the values

    /// Brings everything up to date: the database if it may be another one, the subscriptions, and then the values.
    private func synchronise(_ session: ControllerSession) async throws(SetupError) {
        let isFresh = try await readDatabase(session)
        subscriptions.begin()
        try await reconcileSubscriptions(session, reads: isFresh)
        // What a fresh database holds and nothing subscribes to is as good as read.
        guard !isFresh, let database else { return }
        do throws(RequestError) {
            learned(try await read(database.readable, of: database, on: session))
        } catch {
            throw SetupError(error)
        }
    }

    /// Reads the database unless the one that we hold is the advertised one.
    ///
    /// - Returns: whether it was read.
    private func readDatabase(_ session: ControllerSession) async throws(SetupError) -> Bool {
        let advertised = discovered?.configurationNumber
        if database != nil, configurationNumber == advertised { return false }
        let read = try await session.readDatabase(within: timing.database)
        read.logOmissions(of: id, by: logger)
        database = read
        configurationNumber = advertised
        known = [:]
        reportedAt = [:]
        written = []
        for (id, characteristic) in read.characteristics { known[id] = characteristic.value }
        updates.post(.database(read, configurationNumber: advertised))
        return true
    }

    /// Reads values, but leaves out what an event has reported meanwhile.
    ///
    /// An answer and the events around it reach this actor in any order. Whatever is true after the event is reported by
    /// another one, so the event's value is never the wrong one to keep.
    private func read(
        _ ids: [CharacteristicID], of database: AccessoryDatabase, on session: ControllerSession
    ) async throws(RequestError) -> [CharacteristicID: Reading] {
        let began = events
        let readings = try await session.read(ids, of: database, within: timing.request)
        return readings.filter { reportedAt[$0.key, default: 0] <= began }
    }

    private func learned(_ readings: [CharacteristicID: Reading]) {
        guard !readings.isEmpty else { return }
        for case (let id, .success(let value)) in readings { known[id] = value }
        updates.post(.values(readings))
    }

    /// Reads whatever can change once: a value that no event has reported shows that the accessory loses events.
    private func look(_ session: ControllerSession) async throws(SetupError) {
        guard let database else { return }
        let reported = rereadAt == nil ? subscriptions.confirmed.subtracting(written) : []
        let readsAll = rereadAt.map { $0 <= .now } ?? false
        if readsAll { rereadAt = nil }
        let ids = valuesToCheck(of: database, all: readsAll)
        written.subtract(ids)
        let readings: [CharacteristicID: Reading]
        do throws(RequestError) {
            readings = try await read(ids, of: database, on: session)
        } catch {
            throw SetupError(error)
        }
        let hasMissedEvents = reported.contains { id in
            guard case .success(let value)? = readings[id], let known = known[id] else { return false }
            return value != known && !written.contains(id)
        }
        learned(readings)
        if hasMissedEvents, !push.isPolling {
            logger.info(
                "accessory polled", metadata: ["accessory": "\(self.id)", "reason": "it lost events"])
        }
        push.looked(hasMissedEvents: hasMissedEvents, now: .now)
    }

    /// Returns the values to read next: all of them while events are lost or were dropped, otherwise some at a time, in turn.
    ///
    /// Reads wake accessories that run on batteries: they are left out. If nothing remains, any answer still shows that the
    /// connection lives.
    private func valuesToCheck(of database: AccessoryDatabase, all: Bool) -> [CharacteristicID] {
        let batteryPowered = database.batteryPowered
        let ids = database.canRead(subscriptions.desired.filter { all || !batteryPowered.contains($0.aid) }.sorted())
        guard !ids.isEmpty else { return Array(database.readable.prefix(1)) }
        guard !all, !push.isPolling, ids.count > Self.checkedAtOnce else { return ids }
        let next = ids.drop { id in lastChecked.map { id <= $0 } ?? false }
        let batch = Array((next.isEmpty ? ids[...] : next).prefix(Self.checkedAtOnce))
        lastChecked = batch.last
        return batch
    }

    /// The most values that are read at once to find lost events.
    private static let checkedAtOnce = 50

    /// An event came; what counts is the session that is verified and the link's now.
    func received(event body: [UInt8], on session: ControllerSession) async {
        guard let answers = CharacteristicAnswer.list(parsing: body) else {
            await session.close(.badAnswer)
            return
        }
        guard isVerified, session === connection, let database else { return }
        push.eventCame(now: .now)
        events += 1
        var values: [CharacteristicID: Reading] = [:]
        for answer in answers {
            guard let characteristic = database[answer.id], let json = answer.value,
                let value = characteristic.metadata.reported(json)
            else { continue }
            if characteristic.type.isMomentary {
                updates.post(.occurrence(answer.id, value))
            } else {
                checkAgainstWrite(answer.id, value)
                values[answer.id] = .success(value)
                reportedAt[answer.id] = events
            }
        }
        learned(values)
    }

    /// Has a value read once if an event contradicts a write that is younger than a second: the accessory may have gathered
    /// the event before the write.
    private func checkAgainstWrite(_ id: CharacteristicID, _ value: CharacteristicValue) {
        guard let write = recentWrites[id], write.value != value else { return }
        recentWrites[id] = nil
        guard .now < write.time + Self.recentWriteTime else { return }
        contradicted.insert(id)
        changed.send()
    }

    /// Events were dropped, because there were too many: their values are read a little later.
    private func droppedEvents(on session: ControllerSession) {
        guard session === connection, isVerified else { return }
        if !hasDroppedEvents {
            logger.warning("accessory events dropped", metadata: ["accessory": "\(id)", "reason": "it sends too many"])
        }
        hasDroppedEvents = true
        rereadAt = rereadAt ?? .now + EventBudget.noticeInterval
        changed.send()
    }

    // MARK: Subscriptions

    /// The characteristics that the accessory reports on this connection.
    package var reported: Set<CharacteristicID> { subscriptions.confirmed }

    /// Has these characteristics reported from now on and no others, on this connection and every later one; those that do
    /// not exist or do not report are passed over.
    ///
    /// - Parameter ids: which.
    package func desire(_ ids: Set<CharacteristicID>) {
        _ = subscriptions.desire(ids)
        changed.send()
    }

    /// Subscribes again to the refused characteristics of a bridged accessory that has become reachable.
    package func retrySubscriptions(of aid: AccessoryID) {
        subscriptions.retry(aid)
        changed.send()
    }

    /// As ``desire(_:)``, and waits for what the accessory says to those that were not desired before; their values are read,
    /// too.
    ///
    /// - Parameters:
    ///   - ids: which.
    ///   - kept: those that stay desired if they are.
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

    /// Tells the accessory what is desired and not, all that has gathered at once, and reads what was not reported before.
    private func reconcileSubscriptions(_ session: ControllerSession, reads: Bool = true) async throws(SetupError) {
        guard let database else { return }
        do throws(RequestError) {
            while let batch = subscriptions.next(reports: database.reports) {
                switch batch {
                case .subscribe(let ids): _ = try await subscribe(ids, of: database, on: session, reads: reads)
                case .unsubscribe(let ids): _ = try await session.subscribe(ids, false, timing: timing)
                }
            }
        } catch {
            throw SetupError(error)
        }
    }

    private func subscribe(
        _ ids: [CharacteristicID], of database: AccessoryDatabase, on session: ControllerSession, reads: Bool = true
    ) async throws(RequestError) -> [CharacteristicID: HAPStatus] {
        let statuses = try await session.subscribe(ids, true, timing: timing)
        guard session === connection else { return statuses }
        subscriptions.answered(statuses)
        if reads { learned(try await read(database.canRead(ids), of: database, on: session)) }
        return statuses
    }

    // MARK: Requests

    /// Reads characteristics from the accessory; what comes is in ``updates``, too.
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
            return try await readOnce(ids)
        }
    }

    private func readOnce(
        _ ids: some Sequence<CharacteristicID> & Sendable
    ) async throws(LinkError) -> [CharacteristicID: Reading] {
        let (session, database) = try current()
        do throws(RequestError) {
            let began = events
            let readings = try await session.read(ids, of: database, within: timing.request)
            if session === connection {
                learned(readings.filter { database[$0.key] != nil && reportedAt[$0.key, default: 0] <= began })
            }
            return readings
        } catch {
            throw .request(error)
        }
    }

    /// Characteristics are about to be written: what was asked for before, and is answered later, is not reported any more,
    /// because it is older than what is written.
    package func willWrite(_ ids: some Sequence<CharacteristicID>) {
        events += 1
        for id in ids { reportedAt[id] = events }
    }

    /// Writes characteristics, in one request where that is possible; the accessory reports it to others, not to us.
    ///
    /// - Parameters:
    ///   - writes: what to write.
    ///   - isTimed: whether all are timed writes, also of those that do not ask for it.
    /// - Returns: what became of each.
    /// - Throws: ``LinkError``.
    package func write(
        _ writes: [AccessoryWrite], isTimed: Bool = false
    ) async throws(LinkError) -> [CharacteristicID: WriteOutcome] {
        let (session, database) = try current()
        noteWrites(writes)
        do throws(RequestError) {
            let outcomes = try await session.write(writes, of: database, isTimed: isTimed, timing: timing)
            guard session === connection else { return outcomes }
            for write in writes where outcomes[write.id]?.status == .success && database.canRead(write.id) {
                written.insert(write.id)
                recentWrites[write.id]?.time = .now
                known[write.id] = outcomes[write.id]?.response ?? write.value
            }
            return outcomes
        } catch {
            throw .request(error)
        }
    }

    private func noteWrites(_ writes: [AccessoryWrite]) {
        let now = ContinuousClock.now
        recentWrites = recentWrites.filter { now < $0.value.time + Self.recentWriteTime }
        for write in writes {
            written.insert(write.id)
            recentWrites[write.id] = (write.value, now)
        }
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
        guard let connection, isVerified else { throw .notConnected }
        return try await connection.pairings(request, within: timing.request)
    }

    /// Takes our own pairing back at the accessory, and stops.
    ///
    /// - Throws: ``PairingsError``; the link goes on.
    package func unpair() async throws(PairingsError) {
        _ = try await pairings(.remove(identity.controller))
        await stop()
    }

    private func current() throws(LinkError) -> (ControllerSession, AccessoryDatabase) {
        guard let connection, isVerified, let database, !isStopped else { throw .notConnected }
        return (connection, database)
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
