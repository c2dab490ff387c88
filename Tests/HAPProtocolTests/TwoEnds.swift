import HAPModel
import HAPTesting

@testable import HAPCrypto
@testable import HAPProtocol

/// The accessory's end of a connection in memory: streams and machines as a server drives them, with the golden secrets.
struct AccessoryEnd: Sendable {
    private let golden: Golden
    private(set) var stream = MessageStream(role: .accessory)
    private var setup: PairSetupAccessory
    private var verify: PairVerifyAccessory
    /// Who may open sessions.
    var pairings: PairingList
    /// How many proofs were wrong.
    private(set) var failures = 0
    /// Whose session the connection is, and its keys.
    private(set) var session: (controller: ControllerID, keys: SessionKeys)?
    /// How many requests were answered within the session.
    private(set) var served = 0
    /// Whether the peer broke the protocol so that the connection had to end.
    private(set) var isClosed = false

    init(_ golden: Golden, pairings: [Pairing] = [], ownership: OwnershipRequirement? = nil) {
        self.golden = golden
        self.pairings = PairingList(pairings)
        setup = PairSetupAccessory(identity: golden.accessory, ownership: ownership)
        verify = PairVerifyAccessory(identity: golden.accessory)
    }

    /// Whether a new procedure can begin on this connection.
    var isAtRest: Bool { !isClosed && !stream.isMidMessage && !stream.isSecured }

    /// The peer comes back on another connection; the machines stay as they are.
    mutating func reconnect() {
        stream = MessageStream(role: .accessory)
        session = nil
        isClosed = false
    }

    /// Takes bytes and gives the answers, each as one write.
    mutating func receive(_ bytes: [UInt8]) -> [[UInt8]] {
        guard !isClosed else { return [] }
        var answers: [[UInt8]] = []
        stream.received(bytes)
        do throws(ProtocolViolation) {
            while let message = try stream.next() {
                guard case .request(let request) = message else { continue }
                let (response, keys) = answer(request)
                answers.append(try stream.encode(.response(response), thenSecureWith: keys))
            }
        } catch {
            isClosed = true
        }
        return answers
    }

    private mutating func answer(_ request: HTTPRequest) -> (HTTPResponse, SessionKeys?) {
        switch (request.method, request.path) {
        case (.post, "/pair-setup"):
            return (stream.isSecured ? HTTPResponse(400) : pairSetup(request.body), nil)
        case (.post, "/pair-verify"):
            return stream.isSecured ? (HTTPResponse(400), nil) : pairVerify(request.body)
        case (.get, "/accessories"):
            guard stream.isSecured else { return (HTTPResponse(470), nil) }
            served += 1
            return (HTTPResponse(200, .hapJSON, body: Array("{\"accessories\":[]}".utf8)), nil)
        default:
            return (HTTPResponse(404), nil)
        }
    }

    private mutating func pairSetup(_ body: [UInt8]) -> HTTPResponse {
        let conditions = PairSetupAccessory.Conditions(
            isPaired: pairings.hasAdmin, triesExhausted: failures >= 100, isFull: pairings.isFull)
        var action = setup.received(body, conditions: conditions)
        while true {
            switch action {
            case .reply(let body), .clearFailures(let body), .refuseOwnership(let body), .finish(let body):
                return HTTPResponse(200, .pairingTLV8, body: body)
            case .countFailure(let body):
                failures += 1
                return HTTPResponse(200, .pairingTLV8, body: body)
            case .refuse: return HTTPResponse(400)
            case .start: action = setup.started(golden.server)
            case .check(let server, let clientKey, let proof):
                // The golden answer is known; any other one costs its powers.
                let isGolden = clientKey == golden.client.publicKey && proof == golden.client.proof
                action = setup.checked(
                    isGolden
                        ? .success(golden.agreement)
                        : Result { () throws(CryptoError) in try server.check(clientKey: clientKey, proof: proof) })
            case .store(let pairing):
                pairings.set(pairing)
                action = setup.stored(.success(()))
            }
        }
    }

    private mutating func pairVerify(_ body: [UInt8]) -> (HTTPResponse, SessionKeys?) {
        switch verify.received(body, ephemeral: golden.accessoryEphemeral, pairings: pairings) {
        case .reply(let body): return (HTTPResponse(200, .pairingTLV8, body: body), nil)
        case .refuse: return (HTTPResponse(400), nil)
        case .finish(let body, let controller, let keys):
            session = (controller, keys)
            return (HTTPResponse(200, .pairingTLV8, body: body), keys)
        }
    }
}

/// The controller's end.
struct ControllerEnd: Sendable {
    private enum Machine: Sendable {
        case none
        case setup(PairSetupController)
        case verify(PairVerifyController)
    }

    private let golden: Golden
    private(set) var stream = MessageStream(role: .controller)
    private var machine = Machine.none
    /// Who pair setup says the accessory is.
    private(set) var paired: PairSetupController.PairedAccessory?
    /// The keys of the session.
    private(set) var keys: SessionKeys?
    /// The bodies of the answers that came within the session.
    private(set) var answers: [HTTPResponse] = []
    private(set) var isClosed = false

    /// What it shows the accessory besides the setup code.
    var ownershipToken: [UInt8]?

    init(_ golden: Golden) { self.golden = golden }

    var isAtRest: Bool { !isClosed && !stream.isMidMessage && !stream.isSecured }

    private mutating func request(_ path: String, _ body: [UInt8]) -> [[UInt8]] {
        do throws(ProtocolViolation) {
            return [try stream.encode(.request(HTTPRequest(.post, path, body: body)))]
        } catch {
            isClosed = true
            return []
        }
    }

    /// Begins pair setup.
    mutating func startSetup() -> [[UInt8]] {
        paired = nil
        var setup = PairSetupController(
            identity: golden.controller, setupCode: golden.setupCode,
            ownershipToken: ownershipToken.map { SecretBytes($0) })
        let action = setup.start()
        machine = .setup(setup)
        return perform(action)
    }

    /// Begins pair verify.
    mutating func startVerify() -> [[UInt8]] {
        keys = nil
        var verify = PairVerifyController(identity: golden.controller, accessory: golden.pairedAccessory)
        let action = verify.start(ephemeral: golden.controllerEphemeral)
        machine = .verify(verify)
        return perform(action)
    }

    /// Takes bytes and gives what is to be sent next.
    mutating func receive(_ bytes: [UInt8]) -> [[UInt8]] {
        guard !isClosed else { return [] }
        var requests: [[UInt8]] = []
        stream.received(bytes)
        do throws(ProtocolViolation) {
            while let message = try stream.next() {
                guard case .response(let response) = message else { continue }
                requests += received(response)
            }
        } catch {
            isClosed = true
        }
        return requests
    }

    private mutating func received(_ response: HTTPResponse) -> [[UInt8]] {
        if stream.isSecured {
            answers.append(response)
            return []
        }
        // The status is passed over on purpose: the machines must not need it.
        switch machine {
        case .none: return []
        case .setup(var setup):
            let action = setup.received(response.body)
            machine = .setup(setup)
            return perform(action)
        case .verify(var verify):
            let action = verify.received(response.body)
            machine = .verify(verify)
            return perform(action)
        }
    }

    private mutating func perform(_ action: PairSetupController.Action) -> [[UInt8]] {
        switch action {
        case .send(let body): return request("/pair-setup", body)
        case .compute(let code, let salt, let serverKey):
            guard case .setup(var setup) = machine else { return [] }
            let isGolden = salt == golden.server.salt && serverKey == golden.server.publicKey
            let next = setup.computed(
                isGolden
                    ? .success(golden.client)
                    : Result { () throws(CryptoError) in
                        try SRPClient(setupCode: code, salt: salt, serverKey: serverKey)
                    })
            machine = .setup(setup)
            return perform(next)
        case .paired(let accessory):
            paired = accessory
            return []
        case .fail: return []
        }
    }

    private mutating func perform(_ action: PairVerifyController.Action) -> [[UInt8]] {
        switch action {
        case .send(let body): return request("/pair-verify", body)
        case .verified(let keys):
            self.keys = keys
            stream.secure(with: keys)
            do throws(ProtocolViolation) {
                return [try stream.encode(.request(HTTPRequest(.get, "/accessories")))]
            } catch {
                isClosed = true
                return []
            }
        case .fail: return []
        }
    }
}

/// Both ends and what is between them.
struct TwoEnds: Sendable {
    /// What happens to one message on its way.
    enum Fault: Sendable {
        case none
        case dropped
        case doubled
        /// Only so many bytes arrive.
        case cut(Int)
        /// One bit of this byte changes.
        case flipped(Int)
    }

    var controller: ControllerEnd
    var accessory: AccessoryEnd
    /// Messages under way, each with the end that it goes to.
    private(set) var underWay: [(toAccessory: Bool, bytes: [UInt8])] = []

    init(_ golden: Golden, pairings: [Pairing] = [], ownership: OwnershipRequirement? = nil) {
        controller = ControllerEnd(golden)
        accessory = AccessoryEnd(golden, pairings: pairings, ownership: ownership)
    }

    mutating func startSetup() { underWay = controller.startSetup().map { (true, $0) } }
    mutating func startVerify() { underWay = controller.startVerify().map { (true, $0) } }

    /// Both ends meet on a new connection; the controller begins from nothing.
    mutating func reconnect(_ golden: Golden) {
        let token = controller.ownershipToken
        controller = ControllerEnd(golden)
        controller.ownershipToken = token
        accessory.reconnect()
        underWay = []
    }

    /// Delivers the next message.
    mutating func deliver(_ fault: Fault = .none) {
        guard !underWay.isEmpty else { return }
        let message = underWay.removeFirst()
        var bytes = message.bytes
        switch fault {
        case .none: break
        case .dropped: return
        case .doubled: bytes += bytes
        case .cut(let count): bytes = Array(bytes.prefix(count))
        case .flipped(let index): bytes[index] ^= 1 << (index % 8)
        }
        if message.toAccessory {
            underWay += accessory.receive(bytes).map { (false, $0) }
        } else {
            underWay += controller.receive(bytes).map { (true, $0) }
        }
    }

    /// Delivers messages until nothing moves; ends in any case.
    mutating func drain() {
        for _ in 0..<50 where !underWay.isEmpty { deliver() }
    }
}

extension Golden {
    var accessoryEphemeral: SecretBytes {
        SecretBytes((try? verify["accessory_x25519_secret"].bytes) ?? [UInt8](repeating: 1, count: 32))
    }
    var controllerEphemeral: SecretBytes {
        SecretBytes((try? verify["controller_x25519_secret"].bytes) ?? [UInt8](repeating: 2, count: 32))
    }
}
