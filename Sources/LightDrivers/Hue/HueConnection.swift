import HTTPKit
import NIOSSL
import Synchronization
import TerminalKit

/// The transport of a session with a bridge.
///
/// It sends requests over two persistent connections, and receives the event stream over a third connection.
package struct HueConnection: DeviceConnection {
    package typealias Session = HueSession
    package typealias Receive = @Sendable (HueSession.Input) async -> Void

    /// The longest silence on the event stream before it is reopened.
    ///
    /// Bridges send no keep-alives, so a silent stream may be dead.
    static let silence = Duration.seconds(90)

    private let store: HueCredentialStore
    private let silence: Duration

    package init(store: HueCredentialStore, silence: Duration = Self.silence) {
        self.store = store
        self.silence = silence
    }

    package func run(
        over route: DeviceRoute, outputs: AsyncStream<HueSession.Output>, receive: @escaping Receive
    ) async -> SessionFault {
        guard let context = try? PinnedTLS.makeContext() else { return .unusable("TLS isn't available") }
        return await withDiscardingTaskGroup { tasks in
            defer { tasks.cancelAll() }
            var bridge = ""
            var session: OpenSession?
            for await output in outputs {
                switch output {
                case .identify:
                    let tls = PinnedTLS(context, pin: nil)
                    do throws(HTTPFault) {
                        let request = HTTPClientRequest(method: .get, path: "/api/config")
                        let response = try await HTTPServer(route: route, tls: tls).answer(to: request)
                        await receive(.identity(response, certificate: tls.shown ?? []))
                    } catch {
                        return .unreachable(error.text)
                    }
                case .load(let id):
                    bridge = id
                    do {
                        await receive(.credentials(try store.load(id)))
                    } catch {
                        return .unusable("\(error)")
                    }
                case .pair(let certificate):
                    do throws(HTTPFault) {
                        let tls = PinnedTLS(context, pin: certificate)
                        let body = Array(#"{"devicetype":"lamplighter#bridge"}"#.utf8)
                        let request = HTTPClientRequest(method: .post, path: "/api", body: body)
                        await receive(.paired(try await HTTPServer(route: route, tls: tls).answer(to: request)))
                    } catch {
                        return fault(error, route.endpoint, bridge)
                    }
                case .store(let credentials, let id):
                    do {
                        try store.store(credentials, of: id)
                    } catch {
                        await receive(.notStored("\(error)"))
                    }
                case .open(let credentials):
                    session?.end()
                    let tls = PinnedTLS(context, pin: credentials.certificate)
                    let opened = OpenSession(HTTPServer(route: route, tls: tls), key: credentials.key)
                    for lane in opened.lanes.indices {
                        tasks.addTask { await opened.serve(lane: lane, receive) }
                    }
                    session = opened
                case .request(let lane, let number, let request): session?.send(request, number: number, lane: lane)
                case .follow(let id):
                    guard let session else { continue }
                    tasks.addTask { [silence] in await session.follow(after: id, silence: silence, receive) }
                }
            }
            return .unreachable("the connection was closed")
        }
    }

    private func fault(_ fault: HTTPFault, _ endpoint: DeviceEndpoint, _ bridge: String) -> SessionFault {
        guard fault == .otherCertificate else { return .unreachable(fault.text) }
        return .unusable(HueSession.text(otherCertificate: endpoint.authority, store, bridge))
    }
}

/// The connections to a paired bridge.
private struct OpenSession: Sendable {
    let lanes = (0..<HueRequestQueue.lanes).map { _ in HTTPLane() }
    private let server: HTTPServer
    private let key: String

    init(_ server: HTTPServer, key: String) {
        self.server = server
        self.key = key
    }

    func end() {
        for lane in lanes { lane.end() }
    }

    func send(_ request: HTTPClientRequest, number: Int, lane: Int) {
        guard lanes.indices.contains(lane) else { return }
        lanes[lane].send(authorized(request), number: number)
    }

    private func authorized(_ request: HTTPClientRequest) -> HTTPClientRequest {
        var request = request
        request.headers["hue-application-key"] = key
        return request
    }

    func serve(lane: Int, _ receive: HueConnection.Receive) async {
        await lanes[lane].serve(server, limit: HueSession.maximumBody) { number, result in
            switch result {
            case .success(let response): await receive(.answer(lane: lane, number: number, response))
            case .failure(let fault): await receive(.noAnswer(lane: lane, number: number, fault))
            }
        }
    }

    @concurrent
    func follow(after id: String?, silence: Duration, _ receive: HueConnection.Receive) async {
        var request = authorized(
            HTTPClientRequest(method: .get, path: "/eventstream/clip/v2", headers: ["Accept": "text/event-stream"]))
        request.headers["last-event-id"] = id
        do throws(HTTPFault) {
            try await server.withConnection { connection in
                var parser = EventStreamParser()
                var isFull = false
                try await connection.follow(request, silence: silence) { head in
                    await receive(.stream(status: head.status))
                    return head.status == 200
                } receive: { bytes in
                    do throws(EventStreamParser.TooLong) {
                        for event in try parser.received(bytes) { await receive(.event(event, id: parser.lastID)) }
                    } catch {
                        isFull = true
                    }
                    return !isFull
                }
                if isFull { throw HTTPFault.tooLong }
            }
        } catch {
            await receive(.streamEnded(error))
        }
    }
}
