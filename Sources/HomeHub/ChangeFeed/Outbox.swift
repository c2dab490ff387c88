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
struct Outbox: Sendable, Equatable {
    /// How many news may wait.
    let limit: Int
    private var deliveries: [Delivery] = []
    private var news = 0
    private var isVoid = false

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { deliveries.isEmpty }

    /// Something happened.
    mutating func append(_ notification: HomeNotification) {
        guard !isVoid else { return }
        guard news < limit else { return invalidate() }
        deliveries.append(.notification(notification))
        news += 1
    }

    /// A call of the session was carried out, or failed.
    mutating func append(_ result: Result<JSONValue, HomeError>, to call: Call) {
        deliveries.append(.answer(call, result))
    }

    /// Puts one `homesUpdated` in place of all news.
    mutating func invalidate() {
        dropNews()
        deliveries.append(.notification(.homesUpdated))
        news = 1
        isVoid = true
    }

    /// Tells what the app may do now, in place of all news.
    mutating func authorizationChanged(to status: AuthorizationStatus) {
        dropNews()
        if !status.contains(.authorized) {
            for index in deliveries.indices {
                // It may be true, but who lost the permission may see it no more, nor the names in what went wrong.
                guard case .answer(let call, _) = deliveries[index] else { continue }
                deliveries[index] = .answer(call, .failure(HomeError(.homeAccessNotAuthorized)))
            }
        }
        deliveries.append(.notification(.authorizationStatusUpdated(status)))
        news = 1
        guard status.contains(.authorized) else { return }
        deliveries.append(.notification(.homesUpdated))
        news = 2
        isVoid = true
    }

    /// Takes what is to be told next.
    mutating func next() -> Delivery? {
        guard !deliveries.isEmpty else { return nil }
        let delivery = deliveries.removeFirst()
        guard case .notification(let notification) = delivery else { return delivery }
        news -= 1
        if notification == .homesUpdated { isVoid = false }
        return delivery
    }

    private mutating func dropNews() {
        deliveries.removeAll {
            guard case .notification = $0 else { return false }
            return true
        }
        news = 0
        isVoid = false
    }
}
