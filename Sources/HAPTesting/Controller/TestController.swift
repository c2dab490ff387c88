internal import HAPCrypto
package import HAPModel
package import HAPProtocol

/// The connection that carries a test controller's bytes.
package protocol ControllerLink: Sendable {
    func send(_ bytes: [UInt8])
    func close()
}

/// A small controller that sends real bytes.
///
/// It performs pair setup and pair verify, sends requests in order, and records all responses and events. It runs on
/// its link's executor.
package actor TestController {
    /// An error that is thrown if the connection has ended.
    package struct Closed: Error {}

    /// A received response or event.
    package enum Arrival: Equatable, Sendable {
        case response(HTTPResponse)
        /// An event, with its body as text.
        case event(String)
    }

    private let executor: any SerialExecutor
    package nonisolated let identity: ControllerIdentity
    private var link: (any ControllerLink)?
    private var stream = MessageStream(role: .controller)
    private var awaiting: [CheckedContinuation<HTTPResponse, any Error>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    /// The received responses and events, in order.
    package private(set) var arrivals: [Arrival] = []
    /// A Boolean value that indicates whether the accessory has disconnected.
    package private(set) var isClosed = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init(_ identity: ControllerIdentity = .random(), executor: any SerialExecutor) {
        self.identity = identity
        self.executor = executor
    }

    package func use(_ link: any ControllerLink) { self.link = link }

    // MARK: Bytes

    /// Handles received bytes; `nil` means that the connection has ended.
    ///
    /// Call this method on the controller's executor.
    package nonisolated func received(_ bytes: [UInt8]?) {
        assumeIsolated { controller in
            if let bytes { controller.take(bytes) } else { controller.ended() }
        }
    }

    private func take(_ bytes: [UInt8]) {
        stream.received(bytes)
        do throws(ProtocolViolation) {
            while let message = try stream.next() {
                switch message {
                case .response(let response):
                    arrivals.append(.response(response))
                    if !awaiting.isEmpty { awaiting.removeFirst().resume(returning: response) }
                case .event(let body): arrivals.append(.event(String(decoding: body, as: UTF8.self)))
                case .request: break
                }
            }
        } catch {
            close()
        }
        wakeWatchers()
    }

    private func ended() {
        isClosed = true
        for continuation in awaiting { continuation.resume(throwing: Closed()) }
        awaiting = []
        wakeWatchers()
    }

    private func wakeWatchers() {
        for watcher in watchers { watcher.resume() }
        watchers = []
    }

    /// Waits until the received messages meet a condition, the connection ends, or the test is canceled.
    package func wait(until isMet: @Sendable ([Arrival]) -> Bool) async {
        while !isMet(arrivals), !isClosed, !Task.isCancelled { await waitForArrival() }
    }

    /// Waits until the connection ends or the test is canceled.
    package func waitForClose() async {
        while !isClosed, !Task.isCancelled { await waitForArrival() }
    }

    private func waitForArrival() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { watchers.append($0) }
        } onCancel: {
            Task { await wakeWatchers() }
        }
    }

    /// The bodies of the events received so far.
    package var events: [String] {
        arrivals.compactMap { if case .event(let body) = $0 { body } else { nil } }
    }

    /// Removes all received messages.
    package func forgetArrivals() { arrivals = [] }

    package func close() { link?.close() }

    // MARK: Requests

    package func send(bytes: [UInt8]) { link?.send(bytes) }

    /// Returns the bytes of a request, encrypted if the connection is a session.
    package func bytes(of request: HTTPRequest) throws -> [UInt8] { try stream.encode(.request(request)) }

    /// Returns bytes in the form that the connection currently uses, which is encrypted in a session.
    package func sealed(_ bytes: [UInt8]) throws -> [UInt8] { try stream.carried(bytes) }

    /// Sends a request and waits for its response.
    package func request(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard !isClosed else { throw Closed() }
        let bytes = try stream.encode(.request(request))
        // A test must end even without a response, and it must end immediately when it is canceled.
        let watchdog = Task {
            try await Task.sleep(for: .seconds(20))
            // When the response arrives, this task is canceled.
            try Task.checkCancellation()
            close()
        }
        defer { watchdog.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                awaiting.append(continuation)
                link?.send(bytes)
            }
        } onCancel: {
            Task { await close() }
        }
    }

    /// Sends a GET request and waits for the response.
    package func get(_ path: String, query: String? = nil) async throws -> HTTPResponse {
        try await request(HTTPRequest(.get, path, query: query))
    }

    /// Sends `GET /characteristics?QUERY` and waits for the response.
    package func read(_ query: String) async throws -> HTTPResponse { try await get("/characteristics", query: query) }

    /// Sends a PUT request with JSON and waits for the response.
    package func put(_ path: String, _ body: String) async throws -> HTTPResponse {
        try await request(HTTPRequest(.put, path, body: Array(body.utf8)))
    }

    /// Sends `PUT /characteristics` with the given entries, as JSON, and waits for the response.
    package func write(_ entries: String) async throws -> HTTPResponse {
        try await put("/characteristics", #"{"characteristics":[\#(entries)]}"#)
    }

    /// Sends a POST request with a TLV8 body and waits for the response.
    package func post(_ path: String, _ body: [UInt8] = []) async throws -> HTTPResponse {
        try await request(HTTPRequest(.post, path, body: body))
    }

    /// Sends a request to `/pairings` and waits for the response.
    package func pairings(_ request: PairingsRequest) async throws -> PairingsResponse {
        let response = try await post("/pairings", request.encoded)
        guard response.status == 200 else { throw UnexpectedStatus(status: response.status) }
        return try PairingsResponse(parsing: response.body, list: request == .list)
    }

    // MARK: Pairing

    /// An error for a response with an HTTP status other than 200.
    package struct UnexpectedStatus: Error, Equatable {
        package let status: Int

        package init(status: Int) { self.status = status }
    }

    /// Performs the first part of pair setup, up to M2.
    package func beginPairSetup(
        _ code: SetupCode, ownershipToken: [UInt8]? = nil
    ) async throws -> PairSetupController.Action {
        setup = PairSetupController(
            identity: identity, setupCode: code, ownershipToken: ownershipToken.map { SecretBytes($0) })
        return try await step(setup?.start())
    }

    /// Performs the next step of pair setup.
    ///
    /// - Returns: The next action of the controller's state machine.
    package func step(_ action: PairSetupController.Action?) async throws -> PairSetupController.Action {
        switch action {
        case .send(let body)?:
            let response = try await post("/pair-setup", body)
            guard response.status == 200 else { throw UnexpectedStatus(status: response.status) }
            return setup?.received(response.body) ?? .fail(.violation(.unexpectedState))
        case .compute(let code, let salt, let key)?:
            let client = await Self.compute(code, salt, key)
            return setup?.computed(client) ?? .fail(.violation(.unexpectedState))
        case .paired, .fail, nil: return action ?? .fail(.violation(.unexpectedState))
        }
    }

    private var setup: PairSetupController?

    /// Performs the whole pair setup.
    ///
    /// - Returns: The last action, `paired` or `fail`.
    package func pairSetup(
        _ code: SetupCode, ownershipToken: [UInt8]? = nil
    ) async throws -> PairSetupController.Action {
        var action = try await beginPairSetup(code, ownershipToken: ownershipToken)
        while true {
            switch action {
            case .paired, .fail: return action
            case .send, .compute: action = try await step(action)
            }
        }
    }

    @concurrent
    private static func compute(
        _ code: String, _ salt: [UInt8], _ key: [UInt8]
    ) async -> Result<SRPClient, CryptoError> {
        Result { () throws(CryptoError) in try SRPClient(setupCode: code, salt: salt, serverKey: key) }
    }

    /// Performs pair verify.
    ///
    /// If it succeeds, the connection becomes a session.
    ///
    /// - Returns: The reason for the failure, or `nil` on success.
    package func pairVerify(_ accessory: AccessoryIdentity) async throws -> PairVerifyController.Failure? {
        var verify = PairVerifyController(
            identity: identity,
            accessory: PairSetupController.PairedAccessory(
                deviceID: accessory.deviceID, publicKey: accessory.longTermKey.publicKey))
        var action = verify.start(ephemeral: .random(count: 32))
        while true {
            switch action {
            case .send(let body):
                let response = try await post("/pair-verify", body)
                guard response.status == 200 else { throw UnexpectedStatus(status: response.status) }
                action = verify.received(response.body)
            case .verified(let keys):
                stream.secure(with: keys)
                return nil
            case .fail(let failure): return failure
            }
        }
    }
}

extension HTTPResponse {
    package var text: String { String(decoding: body, as: UTF8.self) }
}

extension ControllerIdentity {
    /// Returns a pairing that authorizes this controller.
    package func pairing(isAdmin: Bool = true) -> Pairing {
        Pairing(controller: controller, publicKey: longTermKey.publicKey, isAdmin: isAdmin)
    }
}
