internal import BoundedJSON
package import HAPModel
package import HAPProtocol
package import Logging

/// What the registry tells its server; called on the registry's executor.
package protocol AccessoryRegistryObserver: AnyObject, Sendable {
    /// Characteristics have new values.
    func changed(_ changes: [CharacteristicChange])

    /// A connection has written values with success: what waits to be told it of these characteristics is older.
    ///
    /// - Parameters:
    ///   - values: what it wrote.
    ///   - accessory: what it wrote to.
    ///   - connection: who wrote.
    ///   - changes: what is news now, to whom.
    func wrote(
        _ values: [CharacteristicWrite], to accessory: AccessoryID, by connection: ConnectionID,
        changing changes: [CharacteristicChange])

    /// `c#` has risen and is durable.
    func configurationNumberChanged(to number: UInt16)
}

/// What every characteristic of the server is worth.
///
/// Reads are answered from here and never wait for a device. Writes go to the accessory's ``AccessorySource`` and show
/// at once as if they had succeeded; if they fail, the former value comes back.
package actor AccessoryRegistry: SharedExecutorActor {
    /// Changes of structure within this time make one step of `c#`.
    static let structureDebounce = Duration.seconds(1)
    /// When a `c#` that could not be stored is tried again.
    package static let storeRetry = Duration.seconds(10)

    package nonisolated let executor: any SerialExecutor
    private let scheduler: any Scheduler
    private let store: any AccessoryServerStore
    private let firmware: String
    private let logger: Logger
    private var entries: [AccessoryID: RegisteredAccessory] = [:]
    private var order: [AccessoryID] = []
    private var configuration: ConfigurationNumber
    private let structureMutex = AsyncMutex()
    private var structureCheckIsDue = false
    /// The accessories of the last run are all there: from now on changes count.
    private var isComplete = false
    private var observer: (any AccessoryRegistryObserver)?
    private var rounds: [Int: Round] = [:]
    private var lastRound = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a registry that shows nothing.
    ///
    /// - Parameters:
    ///   - executor: runs the registry; the server's own, so that no call between them changes threads.
    ///   - scheduler: the executor's clock.
    ///   - store: where `c#` is kept.
    ///   - configuration: `c#` as it was stored.
    ///   - firmware: the bridge's firmware revision; another one is a change of configuration.
    ///   - logger: where faults of sources are told.
    package init(
        executor: any SerialExecutor, scheduler: any Scheduler, store: any AccessoryServerStore,
        configuration: StoredConfiguration, firmware: String, logger: Logger
    ) {
        self.executor = executor
        self.scheduler = scheduler
        self.store = store
        self.configuration = ConfigurationNumber(configuration)
        self.firmware = firmware
        self.logger = logger
    }

    /// Sets who is told of changes.
    package func observe(_ observer: any AccessoryRegistryObserver) { self.observer = observer }

    package var configurationNumber: UInt16 { configuration.number }
    package var accessories: [Accessory] { order.compactMap { entries[$0]?.accessory } }

    // MARK: Structure

    /// Adds an accessory, or replaces one of the same aid.
    ///
    /// Who subscribes already is told what it is worth: an accessory that was away so shortly that `c#` does not rise is
    /// read by nobody.
    ///
    /// - Throws: ``ComplianceError`` if a controller would refuse the whole bridge for it.
    package func set(_ accessory: Accessory, source: (any AccessorySource)?, isReachable: Bool) throws(ComplianceError)
    {
        try accessory.checkCompliance()
        let aid = accessory.aid
        if entries[aid] == nil {
            order.insert(aid, at: order.firstIndex { $0 > aid } ?? order.endIndex)
        }
        let entry = RegisteredAccessory(accessory, source: source, isReachable: isReachable)
        let former = entries[aid]
        if let former { entry.takeOver(former) }
        entries[aid] = entry
        structureChanged()
        let changes = entry.changes(since: former)
        if !changes.isEmpty { observer?.changed(changes) }
    }

    /// Removes an accessory; its aid must not be given to another device.
    package func remove(_ aid: AccessoryID) {
        guard entries.removeValue(forKey: aid) != nil else { return }
        order.removeAll { $0 == aid }
        structureChanged()
    }

    private func structureChanged() {
        if isComplete { checkStructure(in: Self.structureDebounce) }
    }

    private func checkStructure(in delay: Duration) {
        guard !structureCheckIsDue else { return }
        structureCheckIsDue = true
        scheduler.schedule(at: scheduler.now + delay) { [self] in
            Task.immediate { await settleStructure() }
        }
    }

    /// Brings `c#` up to date with the structure now, without waiting for more changes.
    ///
    /// The first call says that all accessories of the last run are there; before it no change of structure counts, so that
    /// a slow start is no reason for `c#` to rise.
    package func settleStructure() async {
        await structureMutex.acquire()
        defer { structureMutex.release() }
        isComplete = true
        structureCheckIsDue = false
        var next = configuration
        guard next.databaseChanged(accessories, firmware: firmware) else { return }
        do {
            try await store.save(next.stored)
        } catch {
            // A number that is told before it is durable could be given to two databases.
            logger.error("the configuration number cannot be stored", metadata: ["error": "\(error)"])
            checkStructure(in: Self.storeRetry)
            return
        }
        configuration = next
        observer?.configurationNumberChanged(to: next.number)
    }

    // MARK: Reading

    /// A characteristic as a request sees it.
    package struct Reading {
        package let metadata: CharacteristicMetadata
        package let service: ServiceType
        package let type: CharacteristicType
        package let value: CharacteristicValue?
        /// `unableToCommunicate` if the device is out of reach.
        package let status: HAPStatus
    }

    /// Looks a characteristic up; `nil` if there is none.
    package func reading(_ id: CharacteristicID) -> Reading? {
        guard let entry = entries[id.aid], let place = entry.place(of: id.iid) else { return nil }
        let service = entry.service(at: place)
        let characteristic = entry.characteristic(at: place)
        // What describes the accessory is known without it.
        let isDescription = service == .accessoryInformation
        return Reading(
            metadata: characteristic.metadata, service: service, type: characteristic.type,
            value: characteristic.value,
            status: entry.isReachable || isDescription ? .success : .unableToCommunicate)
    }

    /// The body of `GET /accessories`.
    package func databaseBody() -> [UInt8] {
        var json = JSONWriter(reserving: order.count * 1200 + 64)
        json.raw("{\"accessories\":[")
        for (index, aid) in order.enumerated() {
            if index > 0 { json.raw(",") }
            guard let entry = entries[aid] else { continue }
            if let cached = entry.json {
                json.raw(cached)
            } else {
                var part = JSONWriter(reserving: 1200)
                part.accessory(entry.accessory)
                entry.json = part.bytes
                json.raw(part.bytes)
            }
        }
        json.raw("]}")
        return json.bytes
    }

    // MARK: Changes from devices

    /// Takes over what a device says of itself; values are forced into their limits, wrong kinds are dropped.
    ///
    /// While a write is under way, reads go on to show what was written; what the device said comes out at its end.
    package func update(_ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)]) {
        guard let entry = entries[aid] else { return }
        var changes: [CharacteristicChange] = []
        for (iid, value) in values {
            guard let place = entry.place(of: iid) else { continue }
            let shown = entry.value(at: place)
            // Most of what a light says is known.
            if shown == value, !entry.isWritten(iid) { continue }
            guard let clamped = entry.characteristic(at: place).metadata.clamped(value) else { continue }
            if !entry.reported(iid, clamped), clamped != shown {
                entry.set(clamped, at: place)
                changes.append(CharacteristicChange(id: CharacteristicID(aid, iid), value: clamped))
            }
        }
        if !changes.isEmpty { observer?.changed(changes) }
    }

    /// Says whether an accessory's device can be reached.
    package func setReachable(_ isReachable: Bool, _ aid: AccessoryID) { entries[aid]?.isReachable = isReachable }

    /// Lets an accessory show which one it is, if it can.
    func identify(_ aid: AccessoryID) { entries[aid]?.source?.identify(aid) }

    // MARK: Writing

    /// A value to write, its kind and limits not yet checked.
    package struct Write: Sendable {
        package let id: CharacteristicID
        package let value: CharacteristicValue
        /// The entry of the request that asks for it.
        package let entry: Int

        package init(id: CharacteristicID, value: CharacteristicValue, entry: Int) {
            self.id = id
            self.value = value
            self.entry = entry
        }
    }

    /// What one request writes, and who waits for it.
    package struct WriteOrder: Sendable {
        /// The caller has looked at permissions.
        package let writes: [Write]
        /// What is known already of the request's entries.
        package let statuses: [HAPStatus]
        /// The connection that writes; it gets no event of what it wrote itself.
        package let origin: ConnectionID?
        /// Takes the statuses of all entries, once, on the registry's executor.
        ///
        /// An entry whose value is written with success keeps what it had.
        package let then: @Sendable ([HAPStatus]) -> Void
    }

    /// What one request writes to one accessory.
    private struct Group {
        let accessory: RegisteredAccessory
        var values: [CharacteristicWrite]
    }

    /// A request to several accessories, some of which have not answered.
    private struct Round {
        var statuses: [HAPStatus]
        var open: Int
        let then: @Sendable ([HAPStatus]) -> Void
    }

    /// Writes values, those of one accessory as one update, accessories side by side; within this call if all devices answer
    /// at once.
    package func write(_ order: WriteOrder) {
        let (writes, origin, then) = (order.writes, order.origin, order.then)
        var statuses = order.statuses
        let groups = groups(of: writes, &statuses)
        guard groups.count != 1 else {
            let group = groups[0]
            let aid = group.accessory.accessory.aid
            write(group.values, to: group.accessory, origin) { [statuses] status in
                then(Self.statuses(statuses, of: writes, when: aid, hasSaid: status))
            }
            return
        }
        guard !groups.isEmpty else { return then(statuses) }
        lastRound += 1
        let round = lastRound
        rounds[round] = Round(statuses: statuses, open: groups.count, then: then)
        for group in groups {
            let aid = group.accessory.accessory.aid
            write(group.values, to: group.accessory, origin) { [self] status in
                here((round, writes, aid, status)) { $0.ended($1.0, $1.1, $1.2, $1.3) }
            }
        }
    }

    /// What a request's entries come to, once one accessory has said what comes of those that were for it.
    private static func statuses(
        _ statuses: [HAPStatus], of writes: [Write], when aid: AccessoryID, hasSaid status: HAPStatus
    ) -> [HAPStatus] {
        guard status != .success else { return statuses }
        var statuses = statuses
        for write in writes where write.id.aid == aid {
            switch statuses[write.entry] {
            // A value that is not written counts more than events that are not to be had.
            case .success, .notificationNotSupported: statuses[write.entry] = status
            default: break
            }
        }
        return statuses
    }

    private func ended(_ round: Int, _ writes: [Write], _ aid: AccessoryID, _ status: HAPStatus) {
        guard var current = rounds.removeValue(forKey: round) else { return }
        current.statuses = Self.statuses(current.statuses, of: writes, when: aid, hasSaid: status)
        current.open -= 1
        if current.open > 0 { rounds[round] = current } else { current.then(current.statuses) }
    }

    /// Sorts a request by accessory; what cannot be written has its status at once.
    private func groups(of writes: [Write], _ statuses: inout [HAPStatus]) -> [Group] {
        var groups: [Group] = []
        for write in writes {
            guard let accessory = entries[write.id.aid], let place = accessory.place(of: write.id.iid) else {
                statuses[write.entry] = .doesNotExist
                continue
            }
            let characteristic = accessory.characteristic(at: place)
            guard let value = characteristic.metadata.accepted(write.value) else {
                statuses[write.entry] = .invalidValue
                continue
            }
            let accepted = CharacteristicWrite(
                iid: write.id.iid, service: accessory.service(at: place), type: characteristic.type, value: value)
            if let group = groups.firstIndex(where: { $0.accessory === accessory }) {
                groups[group].values.append(accepted)
            } else {
                groups.append(Group(accessory: accessory, values: [accepted]))
            }
        }
        return groups
    }

    private func write(
        _ writes: [CharacteristicWrite], to accessory: RegisteredAccessory, _ origin: ConnectionID?,
        then: @escaping @Sendable (HAPStatus) -> Void
    ) {
        var values = writes
        var identifies = false
        if writes.contains(where: { $0.type == .identify }) {
            identifies = writes.contains { $0.type == .identify && $0.value == .bool(true) }
            values = writes.filter { $0.type != .identify }
        }
        guard let source = accessory.source else {
            // A bridge has nothing to blink with; its log is what it can be told apart by.
            if identifies { logger.info("accessory identified", metadata: ["aid": "\(accessory.accessory.aid)"]) }
            return then(.success)
        }
        guard accessory.isReachable else { return then(.unableToCommunicate) }
        let aid = accessory.accessory.aid
        if identifies { source.identify(aid) }
        guard !values.isEmpty else { return then(.success) }
        let tickets = values.map { accessory.began($0.iid, $0.value) }
        source.write(values, to: aid) { [self, values] status in
            here((values, tickets, aid, status, origin)) { $0.ended($1.0, $1.1, $1.2, $1.3, $1.4) }
            then(status)
        }
    }

    private func ended(
        _ values: [CharacteristicWrite], _ tickets: [WritesInFlight.Ticket?], _ aid: AccessoryID, _ status: HAPStatus,
        _ origin: ConnectionID?
    ) {
        // While the device was at work, the accessory may have gone or been replaced.
        guard let entry = entries[aid] else { return }
        var changes: [CharacteristicChange] = []
        for (write, ticket) in zip(values, tickets) {
            guard let ticket,
                let outcome = entry.ended(
                    ticket, write.iid, write.value, success: status == .success, origin: origin),
                let audience = outcome.audience
            else { continue }
            changes.append(
                CharacteristicChange(id: CharacteristicID(aid, write.iid), value: outcome.value, audience: audience))
        }
        if status == .success, let origin {
            observer?.wrote(values, to: aid, by: origin, changing: changes)
        } else if !changes.isEmpty {
            observer?.changed(changes)
        }
    }
}
