internal import HAPModel
internal import HAPProtocol

/// The effects of each entry in a write request.
///
/// An entry is either rejected immediately, or it changes a subscription, writes to a device, or both. A failed entry
/// doesn't affect the other entries.
struct WritePlan {
    /// An added or removed subscription.
    struct Subscription: Equatable {
        let id: CharacteristicID
        let subscribes: Bool
    }

    private(set) var statuses: [HAPStatus] = []
    private(set) var subscriptions: [Subscription] = []
    /// The values to write to devices.
    private(set) var writes: [AccessoryRegistry.Write] = []

    /// Creates the plan of a request.
    ///
    /// `isPrepared` is `true` for a timed write that was announced in time.
    init(
        _ request: WriteRequest, isPrepared: Bool, reading: (CharacteristicID) -> AccessoryRegistry.Reading?
    ) {
        statuses.reserveCapacity(request.entries.count)
        for (index, entry) in request.entries.enumerated() {
            statuses.append(plan(entry, index, isPrepared, reading(entry.id)))
        }
    }

    private mutating func plan(
        _ entry: WriteRequest.Entry, _ index: Int, _ isPrepared: Bool, _ reading: AccessoryRegistry.Reading?
    ) -> HAPStatus {
        guard let reading else { return .doesNotExist }
        var status = HAPStatus.success
        if let events = entry.events {
            if reading.metadata.permissions.contains(.notify) {
                subscriptions.append(Subscription(id: entry.id, subscribes: events))
            } else {
                status = .notificationNotSupported
            }
        }
        // The subscription changes regardless of the write's result (HAP 8.5).
        guard !entry.isMalformed else { return .invalidValue }
        guard let json = entry.value else { return entry.events == nil ? .invalidValue : status }
        guard reading.metadata.permissions.contains(.pairedWrite) else { return .readOnly }
        guard isPrepared || !reading.metadata.permissions.contains(.timedWrite) else { return .invalidValue }
        guard let value = reading.metadata.value(from: json), reading.metadata.accepted(value) != nil else {
            return .invalidValue
        }
        writes.append(
            AccessoryRegistry.Write(
                id: entry.id, value: value, authorizationData: entry.authorizationData, entry: index))
        return status
    }
}
