internal import BoundedJSON
package import HAPModel
package import HAPProtocol

/// The accessories of a server, and what each of their characteristics shows.
///
/// Reads are answered from here and never wait for a device. A written value shows at once, as if the device had taken it;
/// if it does not, the former value comes back. The server owns it: it is used inside the server's actor alone.
package final class AccessoryRegistry {
    private var entries: [AccessoryID: RegisteredAccessory] = [:]
    private var order: [AccessoryID] = []
    /// A Boolean value that indicates whether an accessory has ever had a handler.
    private(set) var hasHandlers = false

    /// All accessories, by aid.
    var accessories: [Accessory] { order.compactMap { entries[$0]?.accessory } }

    subscript(aid: AccessoryID) -> RegisteredAccessory? { entries[aid] }

    /// Adds an accessory, or replaces one of the same aid.
    ///
    /// - Returns: what differs now for those who subscribe already: an accessory that was away so shortly that `c#` does not
    ///   rise has no reader.
    /// - Throws: ``ComplianceError`` if a controller would refuse the whole server for it.
    func set(
        _ accessory: Accessory, source: (any AccessorySource)?, handler: (any RequestHandler)?, isReachable: Bool
    ) throws(ComplianceError) -> [CharacteristicChange] {
        try accessory.checkCompliance()
        let aid = accessory.aid
        let former = entries[aid]
        if former == nil { order.insert(aid, at: order.firstIndex { $0 > aid } ?? order.endIndex) }
        let entry = RegisteredAccessory(accessory, source: source, handler: handler, isReachable: isReachable)
        if let former { entry.takeOver(former) }
        entries[aid] = entry
        if handler != nil { hasHandlers = true }
        return entry.changes(since: former)
    }

    /// Removes an accessory.
    ///
    /// - Returns: whether it was there.
    func remove(_ aid: AccessoryID) -> Bool {
        guard entries.removeValue(forKey: aid) != nil else { return false }
        order.removeAll { $0 == aid }
        return true
    }

    // MARK: Reading

    /// A characteristic as a request sees it.
    package struct Reading: Sendable {
        package let metadata: CharacteristicMetadata
        package let service: ServiceType
        package let type: CharacteristicType
        package let value: CharacteristicValue?
        /// `unableToCommunicate` if the device is out of reach.
        package let status: HAPStatus
    }

    /// Looks a characteristic up; `nil` if there is none.
    func reading(_ id: CharacteristicID) -> Reading? {
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

    /// Takes over what a device says of itself; values are forced into their limits, wrong kinds are dropped.
    ///
    /// While a write is under way, reads go on to show what was written; what the device said comes out at its end.
    ///
    /// - Returns: what shows another value now.
    func update(_ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)]) -> [CharacteristicChange] {
        guard let entry = entries[aid] else { return [] }
        var changes: [CharacteristicChange] = []
        for (iid, value) in values {
            guard let place = entry.place(of: iid) else { continue }
            let shown = entry.value(at: place)
            // Most of what a light says is known; the same press twice is two presses.
            let isMomentary = entry.isMomentary(place)
            if shown == value, !isMomentary, !entry.isWritten(iid) { continue }
            let characteristic = entry.characteristic(at: place)
            guard let clamped = characteristic.metadata.clamped(value) else { continue }
            if !entry.reported(iid, clamped), clamped != shown || isMomentary {
                entry.set(clamped, at: place)
                changes.append(
                    CharacteristicChange(
                        id: CharacteristicID(aid, iid), value: clamped, isUrgent: characteristic.type.isUrgent,
                        isMomentary: isMomentary))
            }
        }
        return changes
    }

    // MARK: Writing

    /// A value to write, its kind and limits not yet checked.
    struct Write {
        let id: CharacteristicID
        let value: CharacteristicValue
        /// Data of the app for the device to check (HAP 8.5).
        let authorizationData: [UInt8]?
        /// The entry of the request that asks for it.
        let entry: Int
    }

    /// What one request writes to one accessory.
    struct Order {
        let accessory: RegisteredAccessory
        /// What goes to the device, within its limits.
        fileprivate(set) var values: [CharacteristicWrite] = []
        /// The accessory is to show which one it is.
        fileprivate(set) var identifies = false
        /// The entries of the request that ask for the values, in their order.
        fileprivate(set) var entries: [Int] = []
        /// The entries of the request that ask for identification.
        fileprivate(set) var identifyEntries: [Int] = []

        var aid: AccessoryID { accessory.accessory.aid }
    }

    /// Sorts a request by accessory; what cannot be written has its status at once.
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
                orders[index].values.append(
                    CharacteristicWrite(
                        iid: write.id.iid, service: accessory.service(at: place), type: characteristic.type,
                        value: value, authorizationData: write.authorizationData,
                        permitsResponse: characteristic.metadata.permissions.contains(.writeResponse)))
            }
        }
        return orders
    }

    /// The values of an order are on their way to the device: they show from now on.
    ///
    /// - Returns: what ``ended(_:_:_:by:)`` needs.
    func began(_ order: Order) -> [WritesInFlight.Ticket?] {
        order.values.map { order.accessory.began($0.iid, $0.value) }
    }

    /// The device has taken the values of an order, or not.
    ///
    /// - Returns: what shows another value now, and which connections do not know it yet.
    func ended(
        _ order: Order, _ tickets: [WritesInFlight.Ticket?], _ result: OrderResult, by origin: ConnectionID
    ) -> [CharacteristicChange] {
        // While the device was at work, the accessory may have gone or been replaced.
        guard let entry = entries[order.aid] else { return [] }
        var changes: [CharacteristicChange] = []
        for (index, (write, ticket)) in zip(order.values, tickets).enumerated() {
            guard let ticket,
                let outcome = entry.ended(
                    ticket, write.iid, write.value, success: result[index] == .success, origin: origin),
                let audience = outcome.audience
            else { continue }
            changes.append(
                CharacteristicChange(
                    id: CharacteristicID(order.aid, write.iid), value: outcome.value, audience: audience))
        }
        return changes
    }
}

// MARK: Handlers

extension AccessoryRegistry {
    /// The characteristics that one request reads from one handler.
    struct DeviceRead: Sendable {
        let aid: AccessoryID
        let handler: any RequestHandler
        fileprivate(set) var characteristics: [CharacteristicRead] = []
    }

    /// Groups the characteristics that handlers are asked for; there are none without handlers.
    func reads(of ids: [CharacteristicID]) -> [DeviceRead] {
        var reads: [DeviceRead] = []
        for id in ids {
            guard let entry = self[id.aid], let handler = entry.handler, entry.isReachable,
                let place = entry.place(of: id.iid), !entry.isMomentary(place)
            else { continue }
            let (service, characteristic) = (entry.service(at: place), entry.characteristic(at: place))
            guard service != .accessoryInformation, service != .protocolInformation,
                characteristic.metadata.permissions.contains(.pairedRead)
            else { continue }
            let index = reads.firstIndex { $0.aid == id.aid } ?? reads.endIndex
            if index == reads.endIndex { reads.append(DeviceRead(aid: id.aid, handler: handler)) }
            reads[index].characteristics.append(
                CharacteristicRead(iid: id.iid, service: service, type: characteristic.type))
        }
        return reads
    }

    func removeHandlers() {
        for entry in entries.values { entry.handler = nil }
    }
}
