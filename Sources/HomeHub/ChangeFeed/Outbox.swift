package import BoundedJSON
package import HomeModel

/// Something that a session is told: news, or the answer to a call of its own.
package enum Delivery: Sendable, Equatable {
    case notification(HomeNotification)
    case answer(Call, Result<JSONValue, HomeError>)
}

/// What one session has still to be told.
///
/// News and answers leave in one order, so that an app that has the answer to its write has heard of all that happened
/// before, and nothing in its copy of the homes goes back. News are bounded; answers are by the limit of outstanding
/// requests. When there are too much news, `homesUpdated` takes their place, and until the session has taken that,
/// nothing more is kept: it loads everything anew behind it.
///
/// Values that only the copy is to have are counted for themselves: of each characteristic the last one is kept. It
/// stands where it was heard, because what lies between it and an earlier one may hold the earlier one, too.
struct Outbox: Sendable, Equatable {
    /// How many news may wait, and how many values beside them.
    let limit: Int
    /// In their order, with gaps where something was taken or overtaken.
    private var deliveries: [Delivery?] = []
    private var first = 0
    private var count = 0
    private var news = 0
    /// Where the value is that the copy is to have.
    private var cached: [Characteristic.ID: Int] = [:]
    private var isVoid = false

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { count == 0 }

    /// Something happened.
    mutating func append(_ notification: HomeNotification) {
        guard !isVoid else { return }
        if let id = notification.cachedCharacteristic {
            if let place = cached[id] {
                _ = take(place)
            } else if cached.count == limit {
                return invalidate()
            }
        } else {
            guard news < limit else { return invalidate() }
            news += 1
        }
        append(.notification(notification))
    }

    /// A call of the session was carried out, or failed.
    mutating func append(_ result: Result<JSONValue, HomeError>, to call: Call) { append(.answer(call, result)) }

    /// Puts one `homesUpdated` in place of all news.
    mutating func invalidate() {
        dropNews()
        append(.notification(.homesUpdated))
        news = 1
        isVoid = true
    }

    /// Tells what the app may do now, in place of all news.
    mutating func authorizationChanged(to status: AuthorizationStatus) {
        dropNews()
        if !status.contains(.authorized) {
            for index in deliveries.indices {
                // It may be true, but who lost the permission may see it no more, nor the names in what went wrong.
                guard case .answer(let call, _)? = deliveries[index] else { continue }
                deliveries[index] = .answer(call, .failure(HomeError(.homeAccessNotAuthorized)))
            }
        }
        append(.notification(.authorizationStatusUpdated(status)))
        news = 1
        guard status.contains(.authorized) else { return }
        append(.notification(.homesUpdated))
        news = 2
        isVoid = true
    }

    /// Takes what is to be told next.
    mutating func next() -> Delivery? {
        while first < deliveries.count {
            let place = first
            first += 1
            guard let delivery = take(place) else { continue }
            if let id = delivery.cachedCharacteristic {
                cached[id] = nil
            } else if case .notification(let notification) = delivery {
                news -= 1
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

    private mutating func take(_ place: Int) -> Delivery? {
        guard let delivery = deliveries[place] else { return nil }
        deliveries[place] = nil
        count -= 1
        return delivery
    }

    private mutating func dropNews() {
        keep {
            guard case .notification = $0 else { return true }
            return false
        }
        news = 0
        isVoid = false
    }

    /// Moves everything together once most of it is gaps.
    private mutating func closeGaps() { if deliveries.count > 2 * count + 16 { keep { _ in true } } }

    private mutating func keep(_ isKept: (Delivery) -> Bool) {
        deliveries = deliveries.filter { $0.map(isKept) ?? false }
        first = 0
        count = deliveries.count
        cached = [:]
        for (place, delivery) in deliveries.enumerated() {
            if let id = delivery?.cachedCharacteristic { cached[id] = place }
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
