import BoundedJSON
import Glibc
import HomeHub
import HomeModel
import LineRPC
import Logging

/// Serves the connections of apps.
///
/// Each connection has two tasks: one receives the app's requests in order, and the other sends the hub's deliveries
/// in order. After each delivery, the sending task waits until the app has read most of it. Therefore, an app that
/// doesn't read delays only itself. The hub limits the number of pending deliveries: if there are too many, it
/// replaces them with one notification to load everything again.
struct AppConnections: LineRPCSessions {
    struct Limits {
        /// The limits for the lines and connections of apps.
        ///
        /// Received lines contain single requests. Sent lines can be longer, because they contain pages of accessories
        /// or all changes of a write. The apps of one user can't use all connections.
        var lines = LineLimits(
            lineLength: 1 << 20, sentLineLength: 1 << 24, outstandingRequests: 32, outbox: 1 << 25, peers: 256,
            peersOfUser: 64)
        /// The maximum time between connecting and opening a session.
        var opening = Duration.seconds(30)
        /// The number of unsent bytes below which the next delivery is sent.
        var mark = 1 << 16
    }

    /// The group whose members may answer permission questions for all users.
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
            // During the shutdown, keep the session open until the last answers are sent.
            if !Task.isCancelled { await hub.close(session) }
            group.cancelAll()
        }
        await hub.close(session)
    }

    // MARK: Opening

    /// Opens a session, or disconnects the app if it doesn't request a session in time.
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

    /// Waits for the request that opens the session, and rejects other requests.
    ///
    /// Returns `nil` if the app disconnects first.
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
                default: peer.answer(number, with: .failure(.invalidRequest("session.open must be the first request")))
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
            case .open: peer.answer(number, with: .failure(.invalidRequest("the session is already open")))
            case nil: peer.answer(number, with: .failure(.methodNotFound(method)))
            case let request?:
                await hub.receive(request, as: Call(session, number), for: ActivityCause.person(in: params))
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
        // The hub has ended the session and its last answers are sent, so close the connection.
        if !Task.isCancelled { peer.close() }
    }

    private func tell(_ notification: HomeNotification, to peer: LineRPCPeer) {
        do throws(LineRPCError) {
            try peer.notify(notification.method, notification.params)
        } catch .tooLong {
            // The notification is too long for a line. The app can load the changed homes in pages instead.
            try? peer.notify(HomeNotification.homesUpdated.method, HomeNotification.homesUpdated.params)
        } catch {
            // The connection has ended, and its session is closed by `serve`.
        }
    }
}

extension AppPeer {
    /// Creates the peer of a connection.
    ///
    /// The user's groups are looked up for each connection, so a change of groups applies to new connections.
    init(_ identity: PeerIdentity) {
        let mayDecide =
            identity.uid == 0 || identity.uid == geteuid()
            || SystemUsers.isMember(identity.uid, of: AppConnections.decidingGroup)
        self.init(uid: identity.uid, executable: identity.executable, mayDecide: mayDecide)
    }
}

extension RPCFailure {
    /// Creates the RPC form of an error: its code and message, and the whole error as data.
    init(_ error: HomeError) { self.init(code: error.code.rawValue, message: error.message, data: error.json) }
}

/// The hub's interface for the socket.
protocol HubSessions: Sendable {
    /// See `HomeHub.open`.
    func open(
        _ opening: SessionOpening, by peer: AppPeer
    ) async throws(HomeError) -> (session: SessionID, reply: SessionReply)

    /// See `HomeHub.close`.
    func close(_ session: SessionID) async

    /// See `HomeHub.receive`.
    func receive(_ request: HomeRequest, as call: Call, for person: String?) async

    /// See `HomeHub.cancel`.
    func cancel(_ call: Call) async

    /// See `HomeHub.nextDelivery`.
    func nextDelivery(for session: SessionID) async -> Delivery?
}

extension HomeHub: HubSessions {}
