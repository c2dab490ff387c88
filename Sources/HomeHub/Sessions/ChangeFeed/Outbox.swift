package import BoundedJSON
package import HomeModel

/// A message to a session: a notification, or the answer to one of its calls.
package enum Delivery: Sendable, Equatable {
    case notification(HomeNotification)
    case answer(Call, Result<JSONValue, HomeError>)
}

/// The pending deliveries of one session.
///
/// Notifications and answers are delivered in a single order. When an app receives the answer to its write, it has
/// received all earlier changes, so its copy of the homes never goes back to an older state.
///
/// The number of notifications is bounded, and the limit of pending requests bounds the answers. Too many notifications
/// are replaced by one `homesUpdated`. Until the session has taken it, no more notifications are kept, because the
/// session loads all homes again afterwards.
///
/// Values that only update the session's copy of the homes are counted separately, and only the latest value of each
/// characteristic is kept. The latest value moves to the end of the order. Otherwise, notifications before it that
/// contain an earlier value could overwrite it.
struct Outbox: Sendable, Equatable {
    /// The maximum number of notifications and, counted separately, of values.
    let limit: Int
    /// The deliveries in order; `nil` for removed deliveries.
    private var deliveries: [Delivery?] = []
    private var first = 0
    private var count = 0
    private var notifications = 0
    /// The positions of the values that only update the session's copy of the homes.
    private var cached: [Characteristic.ID: Int] = [:]
    private var isVoid = false

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ notification: HomeNotification) {
        guard !isVoid else { return }
        if let id = notification.cachedCharacteristic {
            if let index = cached[id] {
                _ = take(index)
            } else if cached.count == limit {
                return invalidate()
            }
        } else {
            guard notifications < limit else { return invalidate() }
            notifications += 1
        }
        append(.notification(notification))
    }

    /// Queues the answer to a call of the session.
    mutating func append(_ result: Result<JSONValue, HomeError>, to call: Call) { append(.answer(call, result)) }

    /// Replaces all notifications with one `homesUpdated`.
    mutating func invalidate() {
        dropNotifications()
        append(.notification(.homesUpdated))
        notifications = 1
        isVoid = true
    }

    /// Replaces all notifications with the app's new authorization.
    mutating func authorizationChanged(to status: AuthorizationStatus) {
        dropNotifications()
        if !status.contains(.authorized) {
            for index in deliveries.indices {
                // The result may be valid, but an app without permission must not see it, nor the names in an error.
                guard case .answer(let call, _)? = deliveries[index] else { continue }
                deliveries[index] = .answer(call, .failure(HomeError(.homeAccessNotAuthorized)))
            }
        }
        append(.notification(.authorizationStatusUpdated(status)))
        notifications = 1
        guard status.contains(.authorized) else { return }
        append(.notification(.homesUpdated))
        notifications = 2
        isVoid = true
    }

    mutating func next() -> Delivery? {
        while first < deliveries.count {
            let index = first
            first += 1
            guard let delivery = take(index) else { continue }
            if let id = delivery.cachedCharacteristic {
                cached[id] = nil
            } else if case .notification(let notification) = delivery {
                notifications -= 1
                if notification == .homesUpdated { isVoid = false }
            }
            closeGaps()
            return delivery
        }
        return nil
    }

    private mutating func append(_ delivery: Delivery) {
        closeGaps()
        if let id = delivery.cachedCharacteristic { cached[id] = deliveries.count }
        deliveries.append(delivery)
        count += 1
    }

    private mutating func take(_ index: Int) -> Delivery? {
        guard let delivery = deliveries[index] else { return nil }
        deliveries[index] = nil
        count -= 1
        return delivery
    }

    private mutating func dropNotifications() {
        keep {
            guard case .notification = $0 else { return true }
            return false
        }
        notifications = 0
        isVoid = false
    }

    /// Compacts the deliveries when most of them are gaps.
    private mutating func closeGaps() { if deliveries.count > 2 * count + 16 { keep { _ in true } } }

    private mutating func keep(_ isKept: (Delivery) -> Bool) {
        deliveries = deliveries.filter { $0.map(isKept) ?? false }
        first = 0
        count = deliveries.count
        cached = [:]
        for (index, delivery) in deliveries.enumerated() {
            if let id = delivery?.cachedCharacteristic { cached[id] = index }
        }
    }
}

extension Delivery {
    fileprivate var cachedCharacteristic: Characteristic.ID? {
        guard case .notification(let notification) = self else { return nil }
        return notification.cachedCharacteristic
    }
}

extension HomeNotification {
    /// The characteristic, if the notification is a value that only updates the session's copy of the homes.
    fileprivate var cachedCharacteristic: Characteristic.ID? {
        guard case .cached(.valueUpdated(let id, _, _)) = self else { return nil }
        return id
    }
}
