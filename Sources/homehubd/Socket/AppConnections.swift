import BoundedJSON
import Glibc
import HomeHub
import HomeModel
import LineRPC
import Logging

/// Serves the connections of apps.
///
/// Each has one task that takes what the app asks, in order, and one that sends what the hub has for it, in order. The
/// second sends one thing and waits until the app has read most of it: so an app that does not read delays no other but
/// itself, and what it misses is bounded by the hub, which tells it to load everything anew.
struct AppConnections: LineRPCSessions {
    struct Limits {
        /// From an app comes one request; to it goes a page of accessories, or what one write changed.
        ///
        /// One user's apps cannot take all places.
        var lines = LineLimits(
            lineLength: 1 << 20, sentLineLength: 1 << 24, outstandingRequests: 32, outbox: 1 << 25, peers: 256,
            peersOfUser: 64)
        /// How long a connection may take to open its session.
        var opening = Duration.seconds(30)
        /// How many bytes may wait when the next thing is sent.
        var mark = 1 << 16
    }

    /// Who belongs to this group may answer questions of permission for all.
    static let decidingGroup = "homehub"

    let hub: any HubSessions
    var limits = Limits()
    let logger: Logger

    func serve(_ peer: LineRPCPeer, _ inputs: AsyncStream<LineRPCInput>) async {
        guard let identity = peer.identity else {
            logger.error("peer credentials missing")
            return
        }
        var inputs = inputs.makeAsyncIterator()
        guard let session = await openInTime(peer, identity, &inputs) else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await deliver(to: peer, session) }
            while let input = await inputs.next(isolation: #isolation) {
                switch input {
                case .request(let number, let method, let params):
                    await receive(number, method, params, from: peer, session)
                case .cancelled(let number): await hub.cancel(Call(session, number))
                }
            }
            // What a hub that ends has answered leaves first.
            if !Task.isCancelled { await hub.close(session) }
            group.cancelAll()
        }
        await hub.close(session)
    }

    // MARK: Opening

    /// Hangs up on who does not open a session in time: its place is for others.
    private func openInTime(
        _ peer: LineRPCPeer, _ identity: PeerIdentity, _ inputs: inout AsyncStream<LineRPCInput>.AsyncIterator
    ) async -> SessionID? {
        await withDiscardingTaskGroup { group in
            group.addTask {
                if (try? await Task.sleep(for: limits.opening)) != nil { peer.close() }
            }
            defer { group.cancelAll() }
            return await open(peer, identity, &inputs)
        }
    }

    /// Waits for the request that opens the session, and refuses others; `nil` if the app disconnects first.
    private func open(
        _ peer: LineRPCPeer, _ identity: PeerIdentity, _ inputs: inout AsyncStream<LineRPCInput>.AsyncIterator
    ) async -> SessionID? {
        while let input = await inputs.next(isolation: #isolation) {
            guard case .request(let number, let method, let params) = input else { continue }
            do throws(HomeError) {
                switch try HomeRequest(method: method, params: params) {
                case .open(let opening):
                    let (session, reply) = try await hub.open(opening, by: AppPeer(identity))
                    peer.answer(number, with: .success(reply.json))
                    return session
                case nil: peer.answer(number, with: .failure(.methodNotFound(method)))
                default: peer.answer(number, with: .failure(.invalidRequest("session.open has to come first")))
                }
            } catch {
                peer.answer(number, with: .failure(RPCFailure(error)))
            }
        }
        return nil
    }

    // MARK: Serving

    private func receive(
        _ number: UInt64, _ method: String, _ params: JSONValue, from peer: LineRPCPeer, _ session: SessionID
    ) async {
        do throws(HomeError) {
            switch try HomeRequest(method: method, params: params) {
            case .open: peer.answer(number, with: .failure(.invalidRequest("the session is open already")))
            case nil: peer.answer(number, with: .failure(.methodNotFound(method)))
            case let request?: await hub.receive(request, as: Call(session, number))
            }
        } catch {
            peer.answer(number, with: .failure(RPCFailure(error)))
        }
    }

    private func deliver(to peer: LineRPCPeer, _ session: SessionID) async {
        while let delivery = await hub.nextDelivery(for: session) {
            switch delivery {
            case .answer(let call, let result): peer.answer(call.number, with: result.mapError { RPCFailure($0) })
            case .notification(let notification): tell(notification, to: peer)
            }
            await peer.drained(below: limits.mark)
        }
        await peer.drained()
        // A hub that ends closes the connection when the last answers have left.
        if !Task.isCancelled { peer.close() }
    }

    private func tell(_ notification: HomeNotification, to peer: LineRPCPeer) {
        do throws(LineRPCError) {
            try peer.notify(notification.method, notification.params)
        } catch .tooLong {
            // What it cannot be told it can load, page by page.
            try? peer.notify(HomeNotification.homesUpdated.method, HomeNotification.homesUpdated.params)
        } catch {
            // The connection is over, which ends the session, too.
        }
    }
}

extension AppPeer {
    /// Who has connected; asked for each connection, so that a change of groups counts for the next.
    init(_ identity: PeerIdentity) {
        let mayDecide =
            identity.uid == 0 || identity.uid == geteuid()
            || SystemUsers.isMember(identity.uid, of: AppConnections.decidingGroup)
        self.init(uid: identity.uid, executable: identity.executable, mayDecide: mayDecide)
    }
}

extension RPCFailure {
    /// An error as it travels: with its number, and whole beside it.
    init(_ error: HomeError) { self.init(code: error.code.rawValue, message: error.message, data: error.json) }
}

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
