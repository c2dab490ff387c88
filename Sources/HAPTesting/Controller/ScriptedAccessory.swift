internal import HAPCrypto
package import HAPProtocol
internal import Synchronization

/// An accessory for tests, which exchanges real bytes, performs real pair verify, and then follows a script.
package final class ScriptedAccessory: Sendable {
    /// The reaction to a request.
    package enum Reaction: Sendable {
        case answer(HTTPResponse)
        /// Sends the given bytes unchanged.
        case bytes([UInt8])
        /// Sends the given bytes, encrypted if the connection is a session.
        case sealed([UInt8])
        case silence
        case hangUp
        /// Removes its pairings and disconnects instead of responding.
        case unpairAndHangUp
    }

    /// A script, which receives each request and its number on the connection, counted from 0.
    ///
    /// If the accessory has an identity, it performs pair verify without the script.
    package typealias Script = @Sendable (HTTPRequest, Int) -> Reaction

    private struct State {
        var stream = MessageStream(role: .accessory)
        var verify: PairVerifyAccessory?
        var count = 0
    }

    private let identity: AccessoryIdentity?
    private let pairings: Mutex<PairingList>
    private let script: Script
    private let current = Mutex<InMemoryByteConnection?>(nil)
    private let log = Mutex<[HTTPRequest]>([])
    private let streams = Mutex<State?>(nil)

    package init(_ identity: AccessoryIdentity? = nil, pairedWith pairings: [Pairing] = [], _ script: @escaping Script)
    {
        self.identity = identity
        self.pairings = Mutex(PairingList(pairings))
        self.script = script
    }

    /// All requests except those of pair verify.
    package var requests: [HTTPRequest] { log.withLock { $0 } }
    /// The newest connection.
    package var connection: InMemoryByteConnection? { current.withLock { $0 } }

    /// Accepts all connections to an endpoint.
    package func listen(_ dialer: InMemoryDialer, at endpoint: AccessoryEndpoint) {
        dialer.listen(at: endpoint) { self.connect() }
    }

    /// Sends bytes in the form that the connection currently uses, which is encrypted in a session.
    package func push(_ bytes: [UInt8]) {
        let carried = streams.withLock { state in (try? state?.stream.carried(bytes)) ?? bytes }
        connection?.deliver(carried)
    }

    package func sendEvent(_ text: String) { push(HTTPSerializer.bytes(of: .event(body: Array(text.utf8)))) }

    private func connect() -> InMemoryByteConnection {
        let connection = InMemoryByteConnection(onSend: { self.received($0) })
        streams.withLock { $0 = State(verify: identity.map { PairVerifyAccessory(identity: $0) }) }
        current.withLock { $0 = connection }
        return connection
    }

    private func received(_ bytes: [UInt8]) {
        let replies: [[UInt8]?] = streams.withLock { state in
            guard var current = state else { return [] }
            defer { state = current }
            current.stream.received(bytes)
            var replies: [[UInt8]?] = []
            while let message = try? current.stream.next() {
                guard case .request(let request) = message else { continue }
                replies.append(contentsOf: react(to: request, &current))
            }
            return replies
        }
        for reply in replies {
            if let reply { connection?.deliver(reply) } else { connection?.end() }
        }
    }

    private func react(to request: HTTPRequest, _ state: inout State) -> [[UInt8]?] {
        if request.path == "/pair-verify", state.verify != nil {
            let action = state.verify?.received(
                request.body, ephemeral: .random(count: 32), pairings: pairings.withLock { $0 })
            switch action {
            case .reply(let body): return [encoded(HTTPResponse(200, .pairingTLV8, body: body), nil, &state)]
            case .finish(let body, _, let keys):
                return [encoded(HTTPResponse(200, .pairingTLV8, body: body), keys, &state)]
            case .refuse, nil: return [encoded(HTTPResponse(400), nil, &state)]
            }
        }
        log.withLock { $0.append(request) }
        defer { state.count += 1 }
        switch script(request, state.count) {
        case .answer(let response): return [encoded(response, nil, &state)]
        case .bytes(let bytes): return [bytes]
        case .sealed(let bytes): return [try? state.stream.carried(bytes)]
        case .silence: return []
        case .hangUp: return [nil]
        case .unpairAndHangUp:
            pairings.withLock { $0 = PairingList([]) }
            return [nil]
        }
    }

    private func encoded(_ response: HTTPResponse, _ keys: SessionKeys?, _ state: inout State) -> [UInt8]? {
        try? state.stream.encode(.response(response), thenSecureWith: keys)
    }
}

extension HTTPResponse {
    package static func json(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status, .hapJSON, body: Array(text.utf8))
    }
}
