package import BoundedJSON
package import HomeModel

/// Something that a session is told: a notification, or the answer to a call of its own.
package enum Delivery: Sendable, Equatable {
    case notification(HomeNotification)
    case answer(Call, Result<JSONValue, HomeError>)
}

/// What one session has still to be told.
///
/// Notifications and answers leave in one order, so that an app that has the answer to its write has been notified of all that
/// happened before, and nothing in its copy of the homes goes back. Notifications are bounded; answers are by the limit of
/// outstanding requests. When there are too many notifications, `homesUpdated` replaces them, and until the session has taken
/// that, nothing more is kept: it loads everything anew behind it.
///
/// Values that only the copy is to have are counted for themselves: of each characteristic the last one is kept. It
/// stands where it was reported, because what lies between it and an earlier one may hold the earlier one, too.
struct Outbox: Sendable, Equatable {
    /// How many notifications may wait, and how many values beside them.
    let limit: Int
    /// In their order, with gaps where something was taken or overtaken.
    private var deliveries: [Delivery?] = []
    private var first = 0
    private var count = 0
    private var notifications = 0
    /// Where the value is that the copy is to have.
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

    /// A call of the session was carried out, or failed.
    mutating func append(_ result: Result<JSONValue, HomeError>, to call: Call) { append(.answer(call, result)) }

    /// Puts one `homesUpdated` in place of all notifications.
    mutating func invalidate() {
        dropNotifications()
        append(.notification(.homesUpdated))
        notifications = 1
        isVoid = true
    }

    /// Says what the app may do now, in place of all notifications.
    mutating func authorizationChanged(to status: AuthorizationStatus) {
        dropNotifications()
        if !status.contains(.authorized) {
            for index in deliveries.indices {
                // It may be true, but who lost the permission may see it no more, nor the names in what went wrong.
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

    /// Moves everything together once most of it is gaps.
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
    /// Whose value it is, if it is for the copy of the homes only.
    fileprivate var cachedCharacteristic: Characteristic.ID? {
        guard case .cached(.valueUpdated(let id, _, _)) = self else { return nil }
        return id
    }
}
