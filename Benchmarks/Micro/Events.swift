import AccessoryRole
import BoundedJSON
import DeviceBridge
import DeviceKit
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting

/// Measures the events for a change of a light, from the driver's report to the encrypted bytes for each session.
struct Events {
    let subscribers: Int

    func run() async throws {
        let controller = ControllerIdentity.random()
        let store = InMemoryAccessoryServerStore(.random(pairedWith: [controller]))
        let bridge = try await BridgeUnderTest(
            store, stored: store.bridge, lights: [LightDescription(id: "lamp", name: "Lamp")], eventWindow: .zero)
        guard let place = await bridge.place(.on, of: "lamp") else { throw Wrong() }
        var sessions: [Subscriber] = []
        for number in 1...subscribers {
            let session = Subscriber(ConnectionID(UInt64(number)), executor: bridge.executor, server: bridge.server)
            try await session.verify(as: controller, bridge.identity)
            let entry = WriteRequest.Entry(id: place, events: true)
            let body = WriteRequest(entries: [entry]).encoded
            guard await session.request(HTTPRequest(.put, "/characteristics", body: body)).status == 204 else {
                throw Wrong()
            }
            sessions.append(session)
        }
        var isOn = false
        var changes = 0
        await Timing { count in
            for _ in 0..<count {
                isOn.toggle()
                changes += 1
                await bridge.host.report(LightReport(on: isOn), from: "lamp")
            }
        }.report("one event to \(subscribers) \(subscribers == 1 ? "session" : "sessions")")
        for session in sessions {
            guard await session.events == changes else { throw Wrong() }
        }
    }
}

/// Measures writes of a controller, from the request to the light and back to the response.
enum Writes {
    static func run() async throws {
        let controller = ControllerIdentity.random()
        let store = InMemoryAccessoryServerStore(.random(pairedWith: [controller]))
        let bridge = try await BridgeUnderTest(
            store, stored: store.bridge, lights: [LightDescription(id: "lamp", name: "Lamp")], eventWindow: .zero)
        guard let place = await bridge.place(.on, of: "lamp") else { throw Wrong() }
        let session = Subscriber(ConnectionID(1), executor: bridge.executor, server: bridge.server)
        try await session.verify(as: controller, bridge.identity)
        let requests = [true, false].map { isOn in
            let entry = WriteRequest.Entry(id: place, value: .bool(isOn))
            return HTTPRequest(.put, "/characteristics", body: WriteRequest(entries: [entry]).encoded)
        }
        try await Timing { count in
            guard await session.repeat(requests, count) == count else { throw Wrong() }
        }.report("a write to a light, and its answer")
    }
}

/// A session that encrypts its events like the transport, but discards them.
actor Subscriber: AccessoryConnection {
    nonisolated let id: ConnectionID
    nonisolated let peer = "memory"
    nonisolated let address = PeerAddress.none
    nonisolated let isWritable = true
    private let executor: any SerialExecutor
    private let server: AccessoryServer
    private var stream = MessageStream(role: .accessory)
    private var asker: CheckedContinuation<HTTPResponse, Never>?

    /// The number of encrypted events.
    private(set) var events = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ id: ConnectionID, executor: any SerialExecutor, server: AccessoryServer) {
        self.id = id
        self.executor = executor
        self.server = server
    }

    /// Opens a session with pair verify.
    func verify(as controller: ControllerIdentity, _ accessory: AccessoryIdentity) async throws {
        server.opened(self)
        var machine = PairVerifyController(identity: controller, accessory: accessory.asSeenByController)
        var action = machine.start(ephemeral: .random(count: Curve25519KeyPair.publicKeyLength))
        while true {
            switch action {
            case .send(let body):
                action = machine.received(await request(HTTPRequest(.post, "/pair-verify", body: body)).body)
            case .verified: return
            case .fail: throw Wrong()
            }
        }
    }

    func request(_ request: HTTPRequest) async -> HTTPResponse {
        await withCheckedContinuation { continuation in
            asker = continuation
            server.received(request, on: id)
        }
    }

    /// Sends `count` requests in total, repeating the given ones.
    ///
    /// Each one is sent after the response to the previous one.
    ///
    /// - Returns: The number of responses with the status 204.
    func `repeat`(_ requests: [HTTPRequest], _ count: Int) async -> Int {
        var successes = 0
        for number in 0..<count {
            if await request(requests[number % requests.count]).status == 204 { successes += 1 }
        }
        return successes
    }

    // MARK: The server's side

    nonisolated func respond(
        _ response: HTTPResponse, thenSecureWith keys: SessionKeys?, whenWritten: (@Sendable () -> Void)?
    ) {
        assumeIsolated { session in
            if let keys { session.stream.secure(with: keys) }
            session.asker?.resume(returning: response)
            session.asker = nil
        }
        whenWritten?()
    }

    nonisolated func sendEvent(body: [UInt8]) {
        assumeIsolated { session in
            guard let bytes = try? session.stream.encode(.event(body: body)) else { return }
            blackHole(bytes)
            session.events += 1
        }
    }

    nonisolated func closeAfterWriting() {}
    nonisolated func close() {}
}
