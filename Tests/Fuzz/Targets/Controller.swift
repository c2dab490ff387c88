internal import HAPController
internal import HAPModel
internal import HAPProtocol
internal import HAPTesting
internal import Synchronization

/// The time limit of requests.
///
/// A request never reaches this limit, because libFuzzer's own limit is shorter.
private let limit = Duration.seconds(120)
private let timing = {
    var timing = ControllerTiming()
    timing.request = limit
    return timing
}()

/// Checks a session with an accessory that sends the responses in the input and then disconnects.
///
/// Zero bytes separate the responses. Events may precede and follow a response.
@Sendable func checkController(_ input: [UInt8]) async {
    let script = Script(input)
    let slot = Mutex<InMemoryByteConnection?>(nil)
    let connection = InMemoryByteConnection(onSend: { _ in
        let (bytes, isLast) = script.next()
        let connection = slot.withLock { $0 }
        for piece in bytes.pieces { connection?.deliver(Array(piece)) }
        if isLast { connection?.end() }
    })
    slot.withLock { $0 = connection }
    let session = ControllerSession(connection)
    let events = Mutex(0)
    async let life = session.run { _ in events.withLock { $0 += 1 } }
    await use(session)
    await session.close()
    let end = await life
    slot.withLock { $0 = nil }
    promise(end != .timedOut, "a request doesn't time out")
    promise(events.withLock { $0 } <= input.count, "the number of events is limited by the input")
    promise(connection.isClosed, "the connection is closed when the session has ended")
    do throws(RequestError) {
        _ = try await session.request(HTTPRequest(.get, "/accessories"), within: limit)
        promise(false, "a session accepts no requests after its end")
    } catch {
        promise(error == .ended(end), "the session keeps the reason for its end")
    }
}

private func use(_ session: ControllerSession) async {
    guard let database = try? await session.readDatabase(within: limit) else { return }
    let ids = database.characteristics.prefix(120).map(\.id)
    if let readings = try? await session.read(ids, of: database, within: limit) {
        promise(Set(readings.keys).isSubset(of: ids), "only requested values are read")
        for case (let id, .success(let value)) in readings {
            promise(
                database[id]?.metadata.reported(value.json) == value, "a value has the format of its characteristic")
        }
    }
    let writes = ids.map { AccessoryWrite($0, .bool(true), wantsResponse: true) }
    if let outcomes = try? await session.write(writes, of: database, timing: timing) {
        promise(Set(outcomes.keys) == Set(ids), "every write has an outcome")
    }
    if let statuses = try? await session.subscribe(ids, true, timing: timing) {
        promise(Set(statuses.keys) == Set(ids), "every subscription has a status")
    }
    _ = try? await session.pairings(.list, within: limit)
}

/// The responses that the accessory sends.
private final class Script: Sendable {
    private struct State {
        var answers: ArraySlice<[UInt8]>
        /// The parser that determines whether the responses are complete.
        var stream = MessageStream(role: .controller)
        var asked = 0
        var answered = 0
    }

    private let state: Mutex<State>

    init(_ input: [UInt8]) {
        state = Mutex(State(answers: input.split(separator: 0).map { Array($0) }[...]))
    }

    /// Returns the bytes that answer the next request, and whether the accessory then disconnects because the response
    /// isn't complete.
    func next() -> (bytes: [UInt8], isLast: Bool) {
        state.withLock { state in
            state.asked += 1
            guard let bytes = state.answers.popFirst() else { return ([], true) }
            state.stream.received(bytes)
            while let message = try? state.stream.next() {
                if case .response(let response) = message, response.status >= 200 { state.answered += 1 }
            }
            return (bytes, state.answered < state.asked)
        }
    }
}
