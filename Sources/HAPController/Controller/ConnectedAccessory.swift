internal import AsyncKit
public import HAPModel
public import HAPProtocol
internal import Synchronization

/// An accessory server that a ``Controller`` keeps a session with: a stand-alone accessory, or a bridge with all behind it.
///
/// It lives as long as the body of ``Controller/withAccessory(_:at:_:)``. A lost connection is made again by itself; what is
/// subscribed to is subscribed to anew.
public final class ConnectedAccessory: Sendable {
    /// What happens at an accessory server.
    @nonexhaustive
    public enum Event: Equatable, Sendable {
        /// A characteristic has a new value, or the one that it has was read after a connection was made.
        case value(CharacteristicID, CharacteristicValue)
        /// Something happened that leaves no value behind, such as the press of a button.
        case occurrence(CharacteristicID, CharacteristicValue)
        /// The value of a characteristic is not known any more, such as of a device behind a bridge that is out of reach.
        case unknown(CharacteristicID, HAPStatus)
        /// There is a session, and everything has been read.
        case connected
        /// The session is lost, or none came about; the next try is on its way unless the code is `notPaired`.
        case disconnected(ControllerError)
        /// What the server consists of may have changed: ``ConnectedAccessory/accessories(within:)`` tells anew.
        case structureChanged
    }

    /// The most events that wait for a listener that does not take them; then the oldest go.
    public static let maximumWaiting = 1024

    /// Its device id.
    public let id: DeviceID
    private let link: AccessoryLink
    private let endpoint: AccessoryEndpoint?
    private let forget: @Sendable () async throws -> Void

    private struct State {
        var accessories: [Accessory]?
        var isConnected = false
        /// Why there is no session, if one was tried.
        var failure: ControllerError?
        var looks: UInt32 = 1
        var lastListener = 0
        var listeners: [Int: Listener] = [:]
    }

    private struct Listener {
        var ids: Set<CharacteristicID>
        let events: AsyncStream<Event>.Continuation
    }

    private let state = Mutex(State())

    init(_ link: AccessoryLink, at endpoint: AccessoryEndpoint?, forget: @escaping @Sendable () async throws -> Void) {
        id = link.id
        self.link = link
        self.endpoint = endpoint
        self.forget = forget
    }

    // MARK: Following the link

    func follow() async {
        await look()
        for await updates in link.updates {
            for update in updates { await take(update) }
        }
        for listener in state.withLock({ $0.listeners.values }) { listener.events.finish() }
    }

    /// Sends the link to the address that was given, if one was.
    private func look() async {
        guard let endpoint else { return }
        let look = state.withLock { state in
            state.looks &+= 1
            return state.looks
        }
        await link.appeared(AdvertisedAccessory(id, at: endpoint, look: look))
    }

    private func take(_ update: LinkUpdate) async {
        switch update {
        case .state(.connected):
            tell(.connected) { state in
                state.isConnected = true
                state.failure = nil
            }
        case .state(.unreachable(let failure)):
            let error = ControllerError(failure)
            tell(.disconnected(error)) { state in
                state.isConnected = false
                state.failure = error
            }
            // Nothing tells whether it is the same accessory when it is back.
            await look()
        case .state(.searching), .state(.connecting), .state(.stopped):
            state.withLock { $0.isConnected = false }
        case .database(let database, _):
            tell(.structureChanged) { $0.accessories = database.accessories }
        case .values(let readings):
            for (id, reading) in readings {
                switch reading {
                case .success(let value): tell(.value(id, value), of: id)
                case .failure(let status): tell(.unknown(id, status), of: id)
                }
            }
        case .occurrence(let id, let value): tell(.occurrence(id, value), of: id)
        }
    }

    /// Tells an event to those whom it concerns.
    private func tell(_ event: Event, of id: CharacteristicID? = nil, _ change: (inout State) -> Void = { _ in }) {
        let listeners = state.withLock { state in
            change(&state)
            return state.listeners.values.filter { listener in id.map(listener.ids.contains) ?? true }
        }
        for listener in listeners { listener.events.yield(event) }
    }

    // MARK: What it is

    /// Whether there is a session now.
    public var isConnected: Bool { state.withLock(\.isConnected) }

    /// What it consists of: the server's own accessory, and behind a bridge all others, with the values that they had when the
    /// connection was made.
    ///
    /// - Parameter limit: how long to wait for a session.
    /// - Returns: the accessories with their services and characteristics, in the server's order.
    /// - Throws: ``ControllerError``: why there is no session, `timedOut` or `canceled`.
    public func accessories(within limit: Duration = .seconds(30)) async throws(ControllerError) -> [Accessory] {
        try await waitUntilConnected(within: limit)
        return state.withLock { $0.accessories ?? [] }
    }

    /// Where the characteristics of a type are.
    ///
    /// - Parameters:
    ///   - type: what they are.
    ///   - service: of services of this type only; `nil` for all.
    /// - Returns: the places, in the server's order; none before there was a session.
    public func characteristics(_ type: CharacteristicType, in service: ServiceType? = nil) -> [CharacteristicID] {
        let accessories = state.withLock { $0.accessories ?? [] }
        return accessories.flatMap { accessory in
            accessory.services.filter { service == nil || $0.type == service }
                .flatMap { $0.characteristics.filter { $0.type == type } }
                .map { CharacteristicID(accessory.aid, $0.iid) }
        }
    }

    /// Waits for a session.
    ///
    /// - Parameter limit: how long.
    /// - Throws: ``ControllerError``: `notPaired` as soon as the accessory reports it; `canceled` if the task is canceled; else, at
    ///   the end of the time, why there is no session, or `timedOut`.
    public func waitUntilConnected(within limit: Duration = .seconds(30)) async throws(ControllerError) {
        if isConnected { return }
        let events = listen([])
        // It may have come meanwhile.
        if isConnected { return }
        let isDecided = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await event in events {
                    switch event {
                    case .connected: return true
                    case .disconnected(let error) where error.code == .notPaired: return true
                    default: continue
                    }
                }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        if isDecided, isConnected { return }
        if Task.isCancelled { throw .canceled }
        throw state.withLock(\.failure) ?? ControllerError(.timedOut, "there was no session within \(limit)")
    }

    // MARK: Values

    /// Reads characteristics from the accessory.
    ///
    /// - Parameter ids: which.
    /// - Returns: a value or a status for each; nothing for buttons, which have no value.
    /// - Throws: ``ControllerError`` with `notConnected`, `connectionLost`, `busy` or `canceled`.
    public func read(
        _ ids: [CharacteristicID]
    ) async throws(ControllerError) -> [CharacteristicID: Result<CharacteristicValue, HAPStatus>] {
        try await asking { link throws(LinkError) in try await link.read(ids) }
    }

    /// Reads a characteristic from the accessory.
    ///
    /// - Parameter id: which.
    /// - Returns: its value.
    /// - Throws: ``ControllerError``; `refused` with the status that the accessory answered.
    public func read(_ id: CharacteristicID) async throws(ControllerError) -> CharacteristicValue {
        switch try await read([id])[id] {
        case .success(let value): return value
        case .failure(let status): throw ControllerError(status)
        case nil: throw ControllerError(.refused, "\(id) has no value")
        }
    }

    /// Writes characteristics, in one request.
    ///
    /// Characteristics with the permission `timedWrite` are written by timed writes in any case (HAP 8.5): the accessory carries
    /// them out only if they come within the announced time, so that a door that could not be told in time stays closed.
    ///
    /// - Parameters:
    ///   - values: what to write.
    ///   - timed: whether all are timed writes.
    /// - Returns: a status for each; `success` where it was done.
    /// - Throws: ``ControllerError`` with `notConnected` or `busy`; with `connectionLost` or `canceled` the accessory may have
    ///   carried it out.
    public func write(
        _ values: [CharacteristicID: CharacteristicValue], timed: Bool = false
    ) async throws(ControllerError) -> [CharacteristicID: HAPStatus] {
        let writes = values.sorted { $0.key < $1.key }.map { AccessoryWrite($0.key, $0.value) }
        return try await asking { link throws(LinkError) in try await link.write(writes, isTimed: timed) }
            .mapValues(\.status)
    }

    /// Writes a characteristic.
    ///
    /// - Parameters:
    ///   - value: what to write.
    ///   - id: where.
    ///   - timed: whether it is a timed write.
    ///   - wantsResponse: whether the accessory shall say what came of it; it does for characteristics with the permission
    ///     `writeResponse`.
    /// - Returns: what came of it, if that was asked for and told.
    /// - Throws: ``ControllerError``; `refused` with the status that the accessory answered.
    @discardableResult
    public func write(
        _ value: CharacteristicValue, to id: CharacteristicID, timed: Bool = false, wantsResponse: Bool = false
    ) async throws(ControllerError) -> CharacteristicValue? {
        let write = AccessoryWrite(id, value, wantsResponse: wantsResponse)
        let outcomes = try await asking { link throws(LinkError) in try await link.write([write], isTimed: timed) }
        guard let outcome = outcomes[id] else { throw ControllerError(.refused, "\(id) was not answered") }
        guard outcome.status == .success else { throw ControllerError(outcome.status) }
        return outcome.response
    }

    // MARK: Events

    /// Subscribes to characteristics, on this connection and every later one, for as long as the stream is kept.
    ///
    /// Who writes a value gets no event of it, unless something else came of it (HAP 10.2). Events of the server as a whole,
    /// such as `disconnected`, are in every stream. Of a listener that does not keep up, the oldest events go; see
    /// ``maximumWaiting``.
    ///
    /// - Parameter ids: which; with none the stream has the events of the server only.
    /// - Returns: what happens from now on; it ends with the body of ``Controller/withAccessory(_:at:_:)``.
    /// - Throws: ``ControllerError`` with `refused` if the accessory refuses one of them, such as one without events; with `canceled`.
    public func events(of ids: Set<CharacteristicID> = []) async throws(ControllerError) -> AsyncStream<Event> {
        let events = listen(ids)
        let outcomes = await link.observe(desired)
        if Task.isCancelled { throw .canceled }
        for outcome in outcomes.values {
            if case .refused(let status) = outcome { throw ControllerError(status) }
        }
        return events
    }

    private func listen(_ ids: Set<CharacteristicID>) -> AsyncStream<Event> {
        let (stream, events) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
        let number = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = Listener(ids: ids, events: events)
            return state.lastListener
        }
        events.onTermination = { [weak self] _ in self?.endListening(number) }
        return stream
    }

    private func endListening(_ number: Int) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
        guard let listener, !listener.ids.isEmpty else { return }
        Task { await link.desire(desired) }
    }

    private var desired: Set<CharacteristicID> {
        state.withLock { $0.listeners.values.reduce(into: []) { $0.formUnion($1.ids) } }
    }

    // MARK: The accessory itself

    /// Asks an accessory to show which one it is: a lamp blinks.
    ///
    /// - Parameter aid: which; 1 is the server's own.
    /// - Throws: ``ControllerError``; `refused` with the status that the accessory answered.
    public func identify(_ aid: AccessoryID = .bridge) async throws(ControllerError) {
        let status = try await asking { link throws(LinkError) in try await link.identify(aid) }
        guard status == .success else { throw ControllerError(status) }
    }

    /// Ends the pairing, at the accessory and in the store.
    ///
    /// If this was its last admin, the accessory forgets all others and can be paired anew (HAP 6.6).
    ///
    /// - Throws: ``ControllerError``; after `storeUnusable` the accessory has forgotten us, and the store has not.
    public func unpair() async throws(ControllerError) {
        try await waitUntilConnected()
        do throws(PairingsError) {
            try await link.unpair()
        } catch {
            throw ControllerError(error).unlessCanceled
        }
        do {
            try await forget()
        } catch {
            throw ControllerError(.storeUnusable, "the store cannot be used: \(error)")
        }
    }

    private func asking<Value: Sendable>(
        _ body: (AccessoryLink) async throws(LinkError) -> Value
    ) async throws(ControllerError) -> Value {
        try await waitUntilConnected()
        do throws(LinkError) {
            return try await body(link)
        } catch {
            throw ControllerError(error).unlessCanceled
        }
    }
}
