internal import BoundedJSON
package import HAPModel
package import HAPProtocol

/// The accessories of a server and the current value of each characteristic.
///
/// Reads return these values without waiting for a device. A written value is visible immediately; if the device
/// rejects the write, the previous value is restored. Only the server's actor uses the registry.
package final class AccessoryRegistry {
    private var entries: [AccessoryID: RegisteredAccessory] = [:]
    private var order: [AccessoryID] = []
    /// A Boolean value that indicates whether an accessory has ever had a handler.
    private(set) var hasHandlers = false

    /// All accessories, sorted by aid.
    var accessories: [AccessoryObject] { order.compactMap { entries[$0]?.accessory } }

    subscript(aid: AccessoryID) -> RegisteredAccessory? { entries[aid] }

    /// Adds an accessory, or replaces the accessory with the same aid.
    ///
    /// - Returns: The values that differ from the replaced accessory's, for the subscribers. If the accessory was
    ///   absent so briefly that `c#` doesn't increase, controllers don't read its values again.
    /// - Throws: ``ComplianceError`` if a controller would reject the whole server because of the accessory.
    func set(
        _ accessory: AccessoryObject, device: AccessoryDevice?, isReachable: Bool
    ) throws(ComplianceError) -> [CharacteristicChange] {
        try accessory.checkCompliance()
        let aid = accessory.aid
        let former = entries[aid]
        if former == nil { order.insert(aid, at: order.firstIndex { $0 > aid } ?? order.endIndex) }
        let entry = RegisteredAccessory(accessory, device: device, isReachable: isReachable)
        if let former { entry.takeOver(former) }
        entries[aid] = entry
        if case .handler? = device { hasHandlers = true }
        return entry.changes(since: former)
    }

    /// Removes an accessory.
    ///
    /// - Returns: Whether the accessory existed.
    func remove(_ aid: AccessoryID) -> Bool {
        guard entries.removeValue(forKey: aid) != nil else { return false }
        order.removeAll { $0 == aid }
        return true
    }

    // MARK: Reading

    /// A characteristic with its value and status.
    package struct Reading: Sendable {
        package let metadata: CharacteristicMetadata
        package let service: ServiceType
        package let type: CharacteristicType
        package let value: CharacteristicValue?
        /// The status: `success`, or `unableToCommunicate` if the device is unreachable.
        package let status: HAPStatus
    }

    /// Returns a characteristic with its value and status, or `nil` if it doesn't exist.
    func reading(_ id: CharacteristicID) -> Reading? {
        guard let entry = entries[id.aid], let place = entry.place(of: id.iid) else { return nil }
        let service = entry.service(at: place)
        let characteristic = entry.characteristic(at: place)
        // The accessory's description is available even if the device is unreachable.
        let isDescription = service == .accessoryInformation
        return Reading(
            metadata: characteristic.metadata, service: service, type: characteristic.type,
            value: characteristic.value,
            status: entry.isReachable || isDescription ? .success : .unableToCommunicate)
    }

    /// The body of `GET /accessories`.
    func databaseBody() -> [UInt8] {
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

    /// Applies values that a device reports.
    ///
    /// Values are clamped to their limits; values of the wrong type are ignored. Every button press counts as a change.
    ///
    /// During a write, reads return the written value. The reported value becomes visible when the write ends. If the
    /// device reports a new current state, such as a lock's, during a write of the target state, the change is returned
    /// by ``ended(_:_:_:by:)``, because subscribers must be notified of the target state first.
    ///
    /// - Returns: The characteristics with new values.
    func update(_ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)]) -> [CharacteristicChange] {
        guard let entry = entries[aid] else { return [] }
        var changes: [CharacteristicChange] = []
        for (iid, value) in values {
            guard let place = entry.place(of: iid) else { continue }
            let shown = entry.value(at: place)
            // Most reports repeat known values, but the same button event twice means two presses.
            let isMomentary = entry.isMomentary(place)
            if shown == value, !isMomentary, !entry.isWritten(iid) { continue }
            let characteristic = entry.characteristic(at: place)
            guard let clamped = characteristic.metadata.clamped(value) else { continue }
            if !entry.reported(iid, clamped), clamped != shown || isMomentary {
                entry.set(clamped, at: place)
                let change = CharacteristicChange(
                    id: CharacteristicID(aid, iid), value: clamped, isUrgent: characteristic.type.isUrgent,
                    isMomentary: isMomentary)
                if !entry.keepsForLater(change, at: place) { changes.append(change) }
            }
        }
        return changes
    }

    /// Marks values as unknown, without an event.
    ///
    /// Reads return `null` until the device reports the values again.
    func forget(_ aid: AccessoryID, _ iids: [InstanceID]) {
        guard let entry = entries[aid] else { return }
        for iid in iids {
            if let place = entry.place(of: iid), entry.value(at: place) != nil { entry.set(nil, at: place) }
        }
    }

    // MARK: Writing

    /// A value to write, whose type and limits haven't been checked yet.
    struct Write {
        let id: CharacteristicID
        let value: CharacteristicValue
        /// Authorization data for the device, sent by the app (HAP 8.5).
        let authorizationData: [UInt8]?
        /// The index of the entry in the request.
        let entry: Int
    }

    /// The values that one request writes to one accessory.
    struct Order {
        let accessory: RegisteredAccessory
        /// The values for the device, within their limits.
        fileprivate(set) var values: [CharacteristicWrite] = []
        /// The written values before rounding, by their index in ``values``.
        ///
        /// Their writer doesn't know the rounded value.
        fileprivate(set) var rounded: [Int: CharacteristicValue] = [:]
        /// A Boolean value that indicates whether the accessory must identify itself.
        fileprivate(set) var identifies = false
        /// The indices of the request's entries that ``values`` come from, in the same order.
        fileprivate(set) var entries: [Int] = []
        /// The indices of the request's entries that ask for identification.
        fileprivate(set) var identifyEntries: [Int] = []

        var aid: AccessoryID { accessory.accessory.aid }
    }

    /// Groups the writes of a request by accessory.
    ///
    /// The statuses of entries that can't be written are set immediately.
    func orders(of writes: [Write], _ statuses: inout [HAPStatus]) -> [Order] {
        var orders: [Order] = []
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
            let index = orders.firstIndex { $0.accessory === accessory } ?? orders.endIndex
            if index == orders.endIndex { orders.append(Order(accessory: accessory)) }
            if characteristic.type == .identify {
                orders[index].identifyEntries.append(write.entry)
                if value == .bool(true) { orders[index].identifies = true }
            } else {
                orders[index].entries.append(write.entry)
                if CharacteristicMetadata.isRounded(value, from: write.value) {
                    orders[index].rounded[orders[index].values.count] = write.value
                }
                orders[index].values.append(
                    CharacteristicWrite(
                        iid: write.id.iid, service: accessory.service(at: place), type: characteristic.type,
                        value: value, authorizationData: write.authorizationData,
                        permitsResponse: characteristic.metadata.permissions.contains(.writeResponse)))
            }
        }
        return orders
    }

    /// Marks the values of an order as being written, so that reads return them from now on.
    ///
    /// - Returns: The tickets for ``ended(_:_:_:by:)``.
    func began(_ order: Order) -> [WritesInFlight.Ticket?] {
        order.values.map { order.accessory.began($0.iid, $0.value) }
    }

    /// Applies the device's result for an order.
    ///
    /// - Returns: The characteristics with new values, and the connections to notify.
    func ended(
        _ order: Order, _ tickets: [WritesInFlight.Ticket?], _ result: OrderResult, by origin: ConnectionID
    ) -> [CharacteristicChange] {
        // The accessory may have been removed or replaced during the write.
        guard let entry = entries[order.aid] else { return [] }
        var changes: [CharacteristicChange] = []
        for (index, (write, ticket)) in zip(order.values, tickets).enumerated() {
            guard let ticket,
                let outcome = entry.ended(
                    ticket, write.iid, write.value, known: order.rounded[index], success: result[index] == .success,
                    origin: origin),
                let audience = outcome.audience
            else { continue }
            changes.append(
                CharacteristicChange(
                    id: CharacteristicID(order.aid, write.iid), value: outcome.value, audience: audience))
        }
        return changes + entry.takeKept()
    }

    /// Returns the current state that belongs to a target state, or `nil` for other characteristics.
    func currentState(of id: CharacteristicID) -> CharacteristicID? {
        guard let entry = entries[id.aid], let place = entry.place(of: id.iid),
            let type = entry.characteristic(at: place).type.currentState
        else { return nil }
        return entry.iid(of: type, inServiceAt: place).map { CharacteristicID(id.aid, $0) }
    }
}

// MARK: Handlers

extension AccessoryRegistry {
    /// The characteristics that one request reads from one handler.
    struct DeviceRead: Sendable {
        let aid: AccessoryID
        let calls: HandlerCalls
        fileprivate(set) var characteristics: [CharacteristicRead] = []
    }

    /// Returns the characteristics to read from handlers, grouped by accessory.
    func reads(of ids: [CharacteristicID]) -> [DeviceRead] {
        var reads: [DeviceRead] = []
        for id in ids {
            guard let entry = self[id.aid], case .handler(let calls)? = entry.device, entry.isReachable,
                let place = entry.place(of: id.iid), !entry.isMomentary(place)
            else { continue }
            let (service, characteristic) = (entry.service(at: place), entry.characteristic(at: place))
            guard service != .accessoryInformation, service != .protocolInformation,
                characteristic.metadata.permissions.contains(.pairedRead)
            else { continue }
            let index = reads.firstIndex { $0.aid == id.aid } ?? reads.endIndex
            if index == reads.endIndex { reads.append(DeviceRead(aid: id.aid, calls: calls)) }
            reads[index].characteristics.append(
                CharacteristicRead(iid: id.iid, service: service, type: characteristic.type))
        }
        return reads
    }

    func removeHandlers() {
        for entry in entries.values {
            if case .handler? = entry.device { entry.device = nil }
        }
    }
}
