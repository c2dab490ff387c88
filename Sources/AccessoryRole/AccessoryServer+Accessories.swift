package import HAPModel
internal import HAPProtocol
internal import Logging

// The served accessories: their structure, their values and the configuration number.
extension AccessoryServer {
    /// The time within which several structure changes increase `c#` only once.
    static let structureDebounce = Duration.seconds(1)
    /// The delay before another attempt to store `c#`.
    package static let storeRetry = Duration.seconds(10)

    package var configurationNumber: UInt16 { configuration.number }

    /// All accessories, sorted by aid.
    package var accessories: [AccessoryObject] { registry.accessories }

    /// Returns a characteristic with its value and status, or `nil` if it doesn't exist.
    package func reading(_ id: CharacteristicID) -> AccessoryRegistry.Reading? { registry.reading(id) }

    // MARK: Structure

    /// Adds an accessory, or replaces the accessory with the same aid.
    ///
    /// An accessory with neither a source nor a handler is read-only.
    ///
    /// - Throws: ``ComplianceError`` if a controller would reject the whole server because of the accessory.
    package func set(
        _ accessory: AccessoryObject, source: (any AccessorySource)?, isReachable: Bool
    ) throws(ComplianceError) {
        try set(accessory, device: source.map { .source($0) }, isReachable: isReachable)
    }

    func set(
        _ accessory: AccessoryObject, device: AccessoryDevice?, isReachable: Bool
    ) throws(ComplianceError) {
        let changes = try registry.set(accessory, device: device, isReachable: isReachable)
        structureChanged()
        if !changes.isEmpty { publish(changes) }
    }

    /// Removes an accessory.
    ///
    /// Its aid must not be assigned to another device.
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

    /// Updates `c#` immediately, without waiting for more changes.
    ///
    /// The first call confirms that all accessories of the previous run are present. Structure changes before that call
    /// are ignored, so a slow start doesn't increase `c#`.
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
            // Don't advertise a number that isn't stored: after a crash, another database could get the same number.
            logger.error("configuration number save failed", metadata: ["error": "\(error)"])
            checkStructure(in: Self.storeRetry)
            return
        }
        configuration = next
        updateAdvertisement()
    }

    // Do nothing while the server is stopping, because the store may already be closed.
    private func reconcileStructureUnlessStopping() async {
        if !isStopping { await reconcileStructure() }
    }

    // MARK: Reports from devices

    /// Applies values that a device reports, clamped to their limits.
    ///
    /// If `isQuiet` is `true`, subscribers get no events.
    package func update(_ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)], isQuiet: Bool = false) {
        let changes = registry.update(aid, values)
        if !changes.isEmpty, !isQuiet { publish(changes) }
    }

    /// Marks the values of meters as unknown, without an event.
    ///
    /// Reads return `null` until the device reports the values again.
    package func forget(_ aid: AccessoryID, _ iids: [InstanceID]) { registry.forget(aid, iids) }

    /// Sets the write response of a characteristic for the current request.
    ///
    /// The controller receives this value instead of the characteristic's value.
    package func respond(_ value: CharacteristicValue, to id: CharacteristicID) { writeResponses[id] = value }

    /// Sets whether an accessory's device is reachable.
    ///
    /// HAP has no event for reachability. When the device becomes reachable again, the server sends its values to
    /// subscribers even if they haven't changed: some controllers treat an event as a sign of life, others wait for the
    /// next read (HAP 10.2).
    package func setReachable(_ isReachable: Bool, _ aid: AccessoryID) {
        guard let accessory = registry[aid], accessory.isReachable != isReachable else { return }
        accessory.isReachable = isReachable
        if isReachable { publish(accessory.changes(since: nil)) }
    }

    // MARK: Writing

    /// Writes the values of a request: one update per accessory, and several accessories concurrently.
    ///
    /// If all devices respond immediately, this method returns without suspending. The caller must check the
    /// permissions first. All subscribers except `origin` get events.
    func write(_ orders: [AccessoryRegistry.Order], by origin: ConnectionID) async -> [OrderResult] {
        let tasks = orders.map { order in Task.immediate { await write(order, by: origin) } }
        var outcomes: [OrderResult] = []
        for task in tasks { outcomes.append(await task.value) }
        return outcomes
    }

    /// Writes the values of a request to one accessory.
    func write(_ order: AccessoryRegistry.Order, by origin: ConnectionID) async -> OrderResult {
        guard let device = order.accessory.device else {
            // An accessory without a device can't blink, so log the request instead.
            if order.identifies { logger.info("accessory identified", metadata: ["aid": "\(order.aid)"]) }
            return .each(order.values.map { _ in .failure(.readOnly) })
        }
        guard order.accessory.isReachable else { return .all(.unableToCommunicate) }
        if order.identifies, !identify(order.aid) { return .all(.busy) }
        guard !order.values.isEmpty else { return .all(.success) }
        let tickets = registry.began(order)
        let outcome: OrderResult =
            switch device {
            case .source(let source): .all(await source.write(order.values, to: order.aid))
            case .handler(let calls): await write(order, to: calls)
            }
        let changes = registry.ended(order, tickets, outcome, by: origin)
        let writer = outcome.hasSuccess ? sessions[origin] : nil
        if let writer, !writer.outbox.isEmpty {
            // The queued events of these characteristics are older than the write.
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

    /// Makes an accessory identify itself, if it can, without waiting until it has finished.
    ///
    /// - Returns: `false` if too many calls to the accessory's handler are unfinished.
    @discardableResult
    func identify(_ aid: AccessoryID) -> Bool {
        switch registry[aid]?.device {
        case .source(let source)?: Task.immediate { await source.identify(aid) }
        case .handler(let calls)?:
            guard begin(calls, of: aid) else { return false }
            Task.immediate {
                await calls.handler.identify(aid)
                calls.end()
            }
        case nil: break
        }
        return true
    }
}

extension AccessoryRegistry.Order {
    /// Copies the result of a write to the statuses of the order's entries.
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
    /// Sets the status of a failed write, which takes precedence over missing notification support.
    fileprivate mutating func set(_ status: HAPStatus) {
        if status != .success, self == .success || self == .notificationNotSupported { self = status }
    }
}
