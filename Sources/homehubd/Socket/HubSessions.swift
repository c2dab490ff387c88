import HomeHub
import HomeModel

/// The hub as the socket sees it.
protocol HubSessions: Sendable {
    /// As `HomeHub.open`.
    func open(
        _ opening: SessionOpening, by peer: AppPeer
    ) async throws(HomeError) -> (session: SessionID, reply: SessionReply)

    /// As `HomeHub.close`.
    func close(_ session: SessionID) async

    /// As `HomeHub.receive`.
    func receive(_ request: HomeRequest, as call: Call) async

    /// As `HomeHub.cancel`.
    func cancel(_ call: Call) async

    /// As `HomeHub.nextDelivery`.
    func nextDelivery(for session: SessionID) async -> Delivery?
}

extension HomeHub: HubSessions {}
