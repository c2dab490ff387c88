import HomeModel

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode

/// Sends requests for ownership tokens to vendors' apps.
///
/// Each request goes to one app, which answers it once, declines it or lets it expire.
///
/// A request without an available app waits for one. If an app's session ends before the app has answered, the request
/// goes to another app.
struct VendorRequests: Sendable, Equatable {
    /// A request for an accessory that requires its vendor's token.
    struct Request: Sendable, Equatable {
        var question: AddAccessoryRequest
        var device: DeviceID
        /// The vendor whose token the accessory requires.
        var vendor: String
        /// The setup code from the initiating app.
        var code: SetupCode?
        /// The initiating session, which is notified of a failure.
        var initiator: SessionID
        /// The name that the initiating app requested.
        var name: String?
        var deadline: ContinuousClock.Instant
        /// The session that received the request.
        var session: SessionID?
    }

    /// A request to send to a session.
    struct Ask: Sendable, Equatable {
        var session: SessionID
        var question: AddAccessoryRequest
    }

    /// The requests, oldest first.
    private var requests: [Request] = []

    func isPending(_ device: DeviceID) -> Bool { requests.contains { $0.device == device } }

    /// Returns a Boolean value that indicates whether a request waits for an app of a vendor.
    func isPending(vendor: String) -> Bool { requests.contains { $0.vendor == vendor && $0.session == nil } }

    /// The time at which to call ``deadlinesPassed(now:)``; `nil` if there are no requests.
    var nextDeadline: ContinuousClock.Instant? { requests.map(\.deadline).min() }

    /// Adds a request, and sends it to the first session of the vendor's app if there is one.
    mutating func add(_ request: Request, sessions: [SessionID]) -> Ask? {
        var request = request
        request.session = sessions.first
        requests.append(request)
        return request.session.map { Ask(session: $0, question: request.question) }
    }

    /// Assigns waiting requests to a newly authorized session of a vendor's app.
    mutating func came(_ session: SessionID, vendor: String) -> [Ask] {
        requests.indices.compactMap { index in
            guard requests[index].vendor == vendor, requests[index].session == nil else { return nil }
            requests[index].session = session
            return Ask(session: session, question: requests[index].question)
        }
    }

    /// Returns the unanswered requests of a session, which may have missed them.
    func asked(_ session: SessionID) -> [Ask] {
        requests.filter { $0.session == session }.map { Ask(session: session, question: $0.question) }
    }

    /// Reassigns the unanswered requests of a session that ended or lost its permission.
    mutating func went(_ session: SessionID, others: (_ vendor: String) -> [SessionID]) -> [Ask] {
        requests.indices.compactMap { index in
            guard requests[index].session == session else { return nil }
            requests[index].session = others(requests[index].vendor).first
            return requests[index].session.map { Ask(session: $0, question: requests[index].question) }
        }
    }

    /// Removes the request that an app answers or declines.
    ///
    /// Each request can be answered only once, even if the token is wrong.
    ///
    /// - Throws: `HomeError` with code 2 if the session didn't receive the request, already answered it, or was too
    ///   late; code 3 if the answer is for another home, in which case the session can still answer.
    mutating func answered(
        _ id: AddAccessoryRequest.ID, by session: SessionID, for home: Home.ID? = nil
    ) throws(HomeError) -> Request {
        guard let index = requests.firstIndex(where: { $0.question.id == id && $0.session == session }) else {
            throw HomeError(.notFound, detail: "this request has ended; add the accessory again")
        }
        guard home == nil || home == requests[index].question.home else {
            throw HomeError(.invalidParameter, detail: "this request is for another home")
        }
        return requests.remove(at: index)
    }

    /// Removes and returns the expired requests.
    mutating func deadlinesPassed(now: ContinuousClock.Instant) -> [Request] {
        let lapsed = requests.filter { $0.deadline <= now }
        requests.removeAll { $0.deadline <= now }
        return lapsed
    }
}
