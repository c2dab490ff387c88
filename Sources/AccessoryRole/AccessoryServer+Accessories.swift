package import HAPModel
internal import HAPProtocol
internal import Logging

// The accessories that are served: what they are, what they show, and the number of their configuration.
extension AccessoryServer {
    /// Changes of structure within this time make one step of `c#`.
    static let structureDebounce = Duration.seconds(1)
    /// When a `c#` that could not be stored is tried again.
    package static let storeRetry = Duration.seconds(10)

    package var configurationNumber: UInt16 { configuration.number }

    /// All accessories, by aid.
    package var accessories: [Accessory] { registry.accessories }

    /// Looks a characteristic up as a request sees it; `nil` if there is none.
    package func reading(_ id: CharacteristicID) -> AccessoryRegistry.Reading? { registry.reading(id) }

    // MARK: Structure

    /// Adds an accessory, or replaces the one with its aid; without a source it can only be read.
    ///
    /// - Throws: ``ComplianceError`` if a controller would refuse the whole server for it.
    package func set(
        _ accessory: Accessory, source: (any AccessorySource)?, handler: (any RequestHandler)? = nil,
        isReachable: Bool
    ) throws(ComplianceError) {
        let changes = try registry.set(accessory, source: source, handler: handler, isReachable: isReachable)
        structureChanged()
        if !changes.isEmpty { publish(changes) }
    }

    /// Removes an accessory; its aid must not be given to another device.
    package func remove(_ aid: AccessoryID) {
        if registry.remove(aid) { structureChanged() }
    }

    private func structureChanged() {
        if isComplete { checkStructure(in: Self.structureDebounce) }
    }

    private func checkStructure(in delay: Duration) {
        guard !structureCheckIsDue, !isStopping else { return }
        structureCheckIsDue = true
        scheduler.schedule(at: scheduler.now + delay) { [weak self] in
            guard let self else { return }
            Task.immediate { await self.reconcileStructureUnlessStopping() }
        }
    }

    /// Brings `c#` up to date with the structure now, without waiting for more changes.
    ///
    /// The first call says that all accessories of the last run are there; before it no change of structure counts, so that
    /// a slow start is no reason for `c#` to rise.
    package func reconcileStructure() async {
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
            logger.error("configuration number save failed", metadata: ["error": "\(error)"])
            checkStructure(in: Self.storeRetry)
            return
        }
        configuration = next
        updateAdvertisement()
    }

    // The store may be closed by now.
    private func reconcileStructureUnlessStopping() async {
        if !isStopping { await reconcileStructure() }
    }

    // MARK: What devices say

    /// Takes over values that a device reports, within their limits; with `isQuiet`, subscribers get no events.
    package func update(_ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)], isQuiet: Bool = false) {
        let changes = registry.update(aid, values)
        if !changes.isEmpty, !isQuiet { publish(changes) }
    }

    /// What the request that is being written gets as the write response of a characteristic, in place of its value.
    package func respond(_ value: CharacteristicValue, to id: CharacteristicID) { writeResponses[id] = value }

    /// Says whether an accessory's device can be reached.
    ///
    /// HAP has no event for that. When the device is back its values are sent to subscribers, equal or not: some
    /// controllers take an event for a sign of life, others wait for the next read (HAP 10.2).
    package func setReachable(_ isReachable: Bool, _ aid: AccessoryID) {
        guard let accessory = registry[aid], accessory.isReachable != isReachable else { return }
        accessory.isReachable = isReachable
        if isReachable { publish(accessory.changes(since: nil)) }
    }

    // MARK: Writing

    /// Writes the values of a request: those of one accessory as one update, accessories side by side.
    ///
    /// It returns within the call if all devices answer at once. The caller has checked the permissions. Subscribers except
    /// `origin` get events.
    func write(_ orders: [AccessoryRegistry.Order], by origin: ConnectionID) async -> [OrderResult] {
        let tasks = orders.map { order in Task.immediate { await write(order, by: origin) } }
        var outcomes: [OrderResult] = []
        for task in tasks { outcomes.append(await task.value) }
        return outcomes
    }

    /// Writes the values of a request that are one accessory's; otherwise as above.
    func write(_ order: AccessoryRegistry.Order, by origin: ConnectionID) async -> OrderResult {
        let (source, handler) = (order.accessory.source, order.accessory.handler)
        guard source != nil || handler != nil else {
            // A bridge has nothing to blink with; its log is what identifies it.
            if order.identifies { logger.info("accessory identified", metadata: ["aid": "\(order.aid)"]) }
            return .all(.success)
        }
        guard order.accessory.isReachable else { return .all(.unableToCommunicate) }
        if order.identifies { identify(order.aid) }
        guard !order.values.isEmpty else { return .all(.success) }
        let tickets = registry.began(order)
        let outcome: OrderResult =
            if let source {
                .all(await source.write(order.values, to: order.aid))
            } else if let handler {
                await write(order, to: handler)
            } else {
                .all(.success)
            }
        let changes = registry.ended(order, tickets, outcome, by: origin)
        let writer = outcome.hasSuccess ? sessions[origin] : nil
        if let writer, !writer.outbox.isEmpty {
            // Queued events of these characteristics are older than the write.
            for (index, write) in order.values.enumerated() where outcome[index] == .success {
                writer.outbox.forget(CharacteristicID(order.aid, write.iid))
            }
        }
        guard !changes.isEmpty else { return outcome }
        publish(changes)
        if let writer, order.values.contains(where: { writer.outbox.holds(CharacteristicID(order.aid, $0.iid)) }) {
            writer.isCorrected = true
        }
        return outcome
    }

    /// Lets an accessory show which one it is, if it can; no caller waits for that.
    func identify(_ aid: AccessoryID) {
        guard let accessory = registry[aid] else { return }
        if let source = accessory.source { Task.immediate { await source.identify(aid) } }
        if let handler = accessory.handler { Task.immediate { await handler.identify(aid) } }
    }
}

extension AccessoryRegistry.Order {
    /// Sets the statuses of the order's entries.
    func set(_ outcome: OrderResult, in statuses: inout [HAPStatus]) {
        switch outcome {
        case .all(.success): return
        case .all(let status):
            for entry in entries { statuses[entry].set(status) }
            for entry in identifyEntries { statuses[entry].set(status) }
        case .each:
            for (index, entry) in entries.enumerated() { statuses[entry].set(outcome[index]) }
        }
    }
}

extension HAPStatus {
    /// Replaces the status: a value that isn't written counts more than missing events.
    fileprivate mutating func set(_ status: HAPStatus) {
        if status != .success, self == .success || self == .notificationNotSupported { self = status }
    }
}
