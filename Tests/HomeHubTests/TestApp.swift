import BoundedJSON
import HomeHub
import HomeModel
import Synchronization
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

/// An app that sends requests and records all answers and notifications.
final class TestApp: Sendable {
    let session: SessionID
    let reply: SessionReply
    private let hub: HomeHub
    private let state = Mutex(State())

    private struct State {
        var lastCall: UInt64 = 0
        var answers: [UInt64: Result<JSONValue, HomeError>] = [:]
        var notifications: [HomeNotification] = []
        var deliveries: [Delivery] = []
        var hasEnded = false
    }

    init(session: SessionID, hub: HomeHub, reply: SessionReply) {
        self.session = session
        self.hub = hub
        self.reply = reply
    }

    /// Receives deliveries until the session ends.
    func read() async {
        while let delivery = await hub.nextDelivery(for: session) {
            state.withLock { state in
                state.deliveries.append(delivery)
                switch delivery {
                case .answer(let call, let result): state.answers[call.number] = result
                case .notification(let notification): state.notifications.append(notification)
                }
            }
        }
        state.withLock { $0.hasEnded = true }
    }

    var notifications: [HomeNotification] { state.withLock(\.notifications) }
    var hasEnded: Bool { state.withLock(\.hasEnded) }
    /// Removes the recorded notifications.
    func forget() { state.withLock { $0.notifications = [] } }

    /// The events of all transactions.
    var events: [HomeEvent] {
        notifications.flatMap { notifications -> [HomeEvent] in
            if case .transaction(let transaction) = notifications { transaction.changes.map(\.event) } else { [] }
        }
    }

    var live: [LiveEvent] { notifications.compactMap { if case .live(let event) = $0 { event } else { nil } } }

    /// The observed values.
    var values: [CharacteristicValue] {
        live.compactMap { if case .valueUpdated(_, let value, _) = $0 { value } else { nil } }
    }

    /// Starts a call.
    func begin(_ request: HomeRequest) async -> Call {
        let number = state.withLock { state in
            state.lastCall += 1
            return state.lastCall
        }
        let call = Call(session, number)
        await hub.receive(request, as: call)
        return call
    }

    /// Returns the answer to a call if it has arrived.
    func answer(_ call: Call) -> Result<JSONValue, HomeError>? { state.withLock { $0.answers[call.number] } }

    /// Waits for the answer to a call.
    func result(_ call: Call) async throws -> JSONValue {
        try await eventually("an answer") { answer(call) != nil }
        guard let answer = answer(call) else { throw HouseUnderTest.Missing(what: "an answer") }
        return try answer.get()
    }

    /// Sends a request and returns the answer.
    @discardableResult func call(_ request: HomeRequest) async throws -> JSONValue {
        try await result(await begin(request))
    }

    /// Changes the homes.
    @discardableResult func write(_ write: HomeWrite) async throws -> HomeCommit {
        try HomeCommit(json: try await call(.write(write)))
    }

    func addHome(_ name: String = "Home") async throws -> Home.ID {
        guard case .home(let id) = try await write(.addHome(name: name)).result else {
            throw HouseUnderTest.Missing(what: "a home")
        }
        return id
    }

    func addScene(to home: Home.ID) async throws -> ActionSet.ID {
        guard case .actionSet(let id) = try await write(.addActionSet(home, name: "Evening", kind: .userDefined)).result
        else { throw HouseUnderTest.Missing(what: "a scene") }
        return id
    }

    @discardableResult func add(_ bridge: TestBridge, to home: Home.ID, name: String? = nil) async throws
        -> [Accessory.ID]
    { try await added(bridge.addition(to: home, name: name)) }

    func added(_ request: AdditionRequest) async throws -> [Accessory.ID] {
        let reply = try AdditionReply(json: try await call(.addAccessory(request)))
        guard case .added(let commit) = reply, case .accessories(let ids) = commit.result else {
            throw HouseUnderTest.Missing(what: "accessories")
        }
        return ids
    }

    func readValues(_ ids: Characteristic.ID...) async throws -> [ValueResult] {
        try [ValueResult](json: try await call(.readValues(ids)))
    }

    func writeValues(_ writes: ValueWrite...) async throws -> [ValueResult] {
        try [ValueResult](json: try await call(.writeValues(writes)))
    }

    @discardableResult func observe(_ id: Characteristic.ID, _ isEnabled: Bool = true) async throws -> HomeError? {
        try [ValueResult](json: try await call(.setNotification([id], isEnabled: isEnabled))).first?.error
    }
}

/// Expects an error with the given code.
func expect(
    _ code: HomeError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async {
    do {
        _ = try await body()
        Issue.record("no error \(code)", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? HomeError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
