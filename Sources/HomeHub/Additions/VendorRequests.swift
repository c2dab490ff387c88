import HomeModel

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

/// Puts requests for ownership tokens to makers' apps: each to one app, which answers it once, declines, or lets it
/// lapse.
///
/// A request for which no app is there waits for one; if an app goes without an answer, another is asked.
struct VendorRequests: Sendable, Equatable {
    /// An accessory that can be added with its maker's token only.
    struct Request: Sendable, Equatable {
        var question: AddAccessoryRequest
        var device: DeviceID
        /// Whose token it wants.
        var vendor: String
        /// The code that the app that began has given.
        var code: SetupCode?
        /// Who began, and is told if nothing comes of it.
        var initiator: SessionID
        /// What it is to be called, if the app that began has said so.
        var name: String?
        var deadline: ContinuousClock.Instant
        /// Who was asked.
        var session: SessionID?
    }

    /// Puts a question to a session.
    struct Ask: Sendable, Equatable {
        var session: SessionID
        var question: AddAccessoryRequest
    }

    /// The oldest first.
    private var requests: [Request] = []

    func isPending(_ device: DeviceID) -> Bool { requests.contains { $0.device == device } }

    /// Whether there is a request for a maker's app that no app was asked yet.
    func isPending(vendor: String) -> Bool { requests.contains { $0.vendor == vendor && $0.session == nil } }

    /// When ``deadlinesPassed(now:)`` is to be asked; `nil` if nothing waits.
    var nextDeadline: ContinuousClock.Instant? { requests.map(\.deadline).min() }

    /// An app wants to add such an accessory; asks the first session of its maker's app, if one is there.
    mutating func add(_ request: Request, sessions: [SessionID]) -> Ask? {
        var request = request
        request.session = sessions.first
        requests.append(request)
        return request.session.map { Ask(session: $0, question: request.question) }
    }

    /// A maker's app is there, and may see homes.
    mutating func came(_ session: SessionID, vendor: String) -> [Ask] {
        requests.indices.compactMap { index in
            guard requests[index].vendor == vendor, requests[index].session == nil else { return nil }
            requests[index].session = session
            return Ask(session: session, question: requests[index].question)
        }
    }

    /// What a session was asked and has not answered: it may have missed it.
    func asked(_ session: SessionID) -> [Ask] {
        requests.filter { $0.session == session }.map { Ask(session: session, question: $0.question) }
    }

    /// A session has ended, or may see homes no more; its unanswered requests are put to others.
    mutating func went(_ session: SessionID, others: (_ vendor: String) -> [SessionID]) -> [Ask] {
        requests.indices.compactMap { index in
            guard requests[index].session == session else { return nil }
            requests[index].session = others(requests[index].vendor).first
            return requests[index].session.map { Ask(session: $0, question: requests[index].question) }
        }
    }

    /// An app answers, or declines.
    ///
    /// Whatever comes of its answer, there is no second one: with a wrong token, too, the request is used up.
    ///
    /// - Throws: 2 if it was not asked that, has answered already, or was too late; 3 if it was asked about another home,
    ///   which is no answer.
    mutating func answered(
        _ id: AddAccessoryRequest.ID, by session: SessionID, for home: Home.ID? = nil
    ) throws(HomeError) -> Request {
        guard let index = requests.firstIndex(where: { $0.question.id == id && $0.session == session }) else {
            throw HomeError(.notFound, detail: "there is no such request any more; add the accessory again")
        }
        guard home == nil || home == requests[index].question.home else {
            throw HomeError(.invalidParameter, detail: "the accessory was to be added to another home")
        }
        return requests.remove(at: index)
    }

    /// Takes out what no app has answered in time.
    mutating func deadlinesPassed(now: ContinuousClock.Instant) -> [Request] {
        let lapsed = requests.filter { $0.deadline <= now }
        requests.removeAll { $0.deadline <= now }
        return lapsed
    }
}
