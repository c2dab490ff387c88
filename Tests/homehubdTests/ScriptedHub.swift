import BoundedJSON
import HomeHub
import HomeModel

@testable import homehubd

/// A hub with scripted deliveries that records its calls.
actor ScriptedHub: HubSessions {
    /// A call from the socket.
    enum Notified: Equatable {
        case opened(String, AppPeer)
        case received(HomeRequest, Call)
        case cancelled(Call)
        case closed(SessionID)
    }

    let notified: AsyncStream<Notified>
    private let sink: AsyncStream<Notified>.Continuation
    private var last: UInt64 = 0
    private var deliveries: [SessionID: (AsyncStream<Delivery>.Iterator, AsyncStream<Delivery>.Continuation)] = [:]
    /// The number of deliveries by session.
    private(set) var taken: [SessionID: Int] = [:]

    init() { (notified, sink) = AsyncStream.makeStream() }

    /// Queues a delivery for a session.
    func say(_ delivery: Delivery, to session: SessionID) { deliveries[session]?.1.yield(delivery) }

    /// Ends a session on the hub's side.
    func end(_ session: SessionID) { deliveries[session]?.1.finish() }

    func open(
        _ opening: SessionOpening, by peer: AppPeer
    ) throws(HomeError) -> (session: SessionID, reply: SessionReply) {
        try opening.validate()
        last += 1
        let session = SessionID(last)
        let (stream, continuation) = AsyncStream.makeStream(of: Delivery.self)
        deliveries[session] = (stream.makeAsyncIterator(), continuation)
        sink.yield(.opened(opening.app, peer))
        return (session, SessionReply(status: [.determined, .authorized], isSystemApp: false))
    }

    func close(_ session: SessionID) {
        deliveries[session]?.1.finish()
        sink.yield(.closed(session))
    }

    func receive(_ request: HomeRequest, as call: Call, for person: String?) { sink.yield(.received(request, call)) }

    func cancel(_ call: Call) { sink.yield(.cancelled(call)) }

    func nextDelivery(for session: SessionID) async -> Delivery? {
        guard var iterator = deliveries[session]?.0 else { return nil }
        let delivery = await iterator.next(isolation: self)
        deliveries[session]?.0 = iterator
        if delivery != nil { taken[session, default: 0] += 1 }
        return delivery
    }
}
