internal import AsyncKit
public import HAPModel
public import HAPProtocol
internal import Synchronization

/// An accessory server that a ``Controller`` keeps a session with: a stand-alone accessory, or a bridge with its
/// accessories.
///
/// The object is valid while the body of ``Controller/withAccessory(_:at:_:)`` runs. After a lost connection, it
/// reconnects and renews the subscriptions.
public final class ConnectedAccessory: Sendable {
    /// An event of an accessory server.
    @nonexhaustive
    public enum Event: Equatable, Sendable {
        /// A characteristic has a new value, or its value was read after the controller connected.
        case value(CharacteristicID, CharacteristicValue)
        /// A momentary event, such as a button press; it leaves no value.
        case occurrence(CharacteristicID, CharacteristicValue)
        /// The value of a characteristic has become unknown, for example because a bridge can't reach the device.
        case unknown(CharacteristicID, HAPStatus)
        /// A session has begun, and all values were read.
        case connected
        /// The session was lost, or an attempt to connect failed.
        ///
        /// The controller keeps trying to connect. After `notPaired`, the attempts are five minutes apart.
        case disconnected(ControllerError)
        /// Accessories, services or characteristics were added or removed, or their metadata changed.
        ///
        /// Call ``ConnectedAccessory/accessories(within:)`` for the new structure.
        case structureChanged
    }

    /// The maximum number of events that are buffered for a slow listener.
    ///
    /// When the buffer is full, each new event replaces the oldest one.
    public static let maximumWaiting = 1024

    /// The device id.
    public let id: DeviceID
    private let link: AccessoryLink
    private let endpoint: AccessoryEndpoint?
    private let forget: @Sendable () async throws -> Void

    private struct State {
        var accessories: [AccessoryObject]?
        var isConnected = false
        /// The failure of the last connection or attempt to connect.
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

    /// Passes the fixed endpoint to the link, if there is one, as if a browser had found it.
    private func look() async {
        guard let endpoint else { return }
        let look = state.withLock { state in
            state.looks &+= 1
            return state.looks
        }
        await link.appeared(AdvertisedAccessory(id, at: endpoint, look: look), shortensPause: false)
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
            // The accessory's database may change while there is no connection.
            await look()
        case .state(.searching), .state(.connecting), .state(.stopped):
            state.withLock { $0.isConnected = false }
        case .database(let database, _):
            let former = state.withLock { state in
                defer { state.accessories = database.accessories }
                return state.accessories
            }
            if former?.map(\.structure) != database.accessories.map(\.structure) { tell(.structureChanged) }
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

    /// Sends an event to the listeners of a characteristic, or to all listeners if `id` is `nil`.
    private func tell(_ event: Event, of id: CharacteristicID? = nil, _ change: (inout State) -> Void = { _ in }) {
        let listeners = state.withLock { state in
            change(&state)
            return state.listeners.values.filter { listener in id.map(listener.ids.contains) ?? true }
        }
        for listener in listeners { listener.events.yield(event) }
    }

    // MARK: Structure

    /// A Boolean value that indicates whether the controller has a session with the accessory.
    public var isConnected: Bool { state.withLock(\.isConnected) }

    /// Returns the accessories of the server, with the characteristic values of the last read of the database.
    ///
    /// For a bridge, the result contains the bridge itself and the accessories connected through it.
    ///
    /// - Parameter limit: The longest time to wait for a session.
    /// - Returns: The accessories with their services and characteristics, in the server's order.
    /// - Throws: ``ControllerError`` with the reason why there is no session, or with `timedOut` or `canceled`.
    public func accessories(within limit: Duration = .seconds(30)) async throws(ControllerError) -> [AccessoryObject] {
        try await waitUntilConnected(within: limit)
        return state.withLock { $0.accessories ?? [] }
    }

    /// Returns the ids of all characteristics with the given type.
    ///
    /// - Parameters:
    ///   - type: The type of the characteristics.
    ///   - service: The type of the services to search; `nil` for all services.
    /// - Returns: The ids, in the server's order; empty before the first session.
    public func characteristics(_ type: CharacteristicType, in service: ServiceType? = nil) -> [CharacteristicID] {
        let accessories = state.withLock { $0.accessories ?? [] }
        return accessories.flatMap { accessory in
            accessory.services.filter { service == nil || $0.type == service }
                .flatMap { $0.characteristics.filter { $0.type == type } }
                .map { CharacteristicID(accessory.aid, $0.iid) }
        }
    }

    /// Returns the characteristic with the given id, with its type and metadata.
    ///
    /// The value is from the last read of the database.
    ///
    /// - Parameter id: The id, such as that of an event.
    /// - Returns: The characteristic; `nil` if the server has no characteristic with the given id, or before the first
    ///   session.
    public func characteristic(_ id: CharacteristicID) -> CharacteristicObject? {
        state.withLock { $0.accessories }?.first { $0.aid == id.aid }?.services.lazy
            .flatMap(\.characteristics).first { $0.iid == id.iid }
    }

    /// Waits for a session.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Throws: ``ControllerError``: `notPaired` as soon as the accessory reports it, or `canceled` if the task is
    ///   canceled. After the time limit, the reason why there is no session, or `timedOut`.
    public func waitUntilConnected(within limit: Duration = .seconds(30)) async throws(ControllerError) {
        if isConnected { return }
        let events = listen([])
        // A session may have begun in the meantime.
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
                try? await self.link.clock.sleep(for: limit)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        if isDecided, isConnected { return }
        if Task.isCancelled { throw .canceled }
        throw state.withLock(\.failure) ?? ControllerError(.timedOut, "not connected within \(limit)")
    }

    // MARK: Values

    /// Reads characteristics from the accessory.
    ///
    /// - Parameter ids: The characteristics.
    /// - Returns: A value or a status for each characteristic, except for those without a value, such as buttons.
    /// - Throws: ``ControllerError`` with `notConnected`, `connectionLost`, `busy` or `canceled`.
    public func read(
        _ ids: [CharacteristicID]
    ) async throws(ControllerError) -> [CharacteristicID: Result<CharacteristicValue, HAPStatus>] {
        try await asking { link throws(LinkError) in try await link.read(ids) }
    }

    /// Reads a characteristic from the accessory.
    ///
    /// - Parameter id: The characteristic.
    /// - Returns: The value.
    /// - Throws: ``ControllerError``; `refused` contains the accessory's status.
    public func read(_ id: CharacteristicID) async throws(ControllerError) -> CharacteristicValue {
        switch try await read([id])[id] {
        case .success(let value): return value
        case .failure(let status): throw ControllerError(status, of: name(of: id))
        case nil: throw ControllerError(.refused, "\(name(of: id)) has no value")
        }
    }

    /// Returns a characteristic's name and id for error messages, such as `Brightness (1.9)`.
    private func name(of id: CharacteristicID) -> String {
        let accessory = state.withLock(\.accessories)?.first { $0.aid == id.aid }
        let characteristic = accessory?.services.flatMap(\.characteristics).first { $0.iid == id.iid }
        return characteristic.map { "\($0.type.catalogName) (\(id))" } ?? "characteristic \(id)"
    }

    /// Writes characteristics in one request.
    ///
    /// Characteristics with the `timedWrite` permission always get timed writes (HAP 8.6). The accessory carries out a
    /// timed write only if it arrives within the announced time. A delayed write can't, for example, open a door long
    /// after the request.
    ///
    /// - Parameters:
    ///   - values: The value to write to each characteristic.
    ///   - timed: Whether to use timed writes for all characteristics.
    /// - Returns: A result for each characteristic: success, or the status of a refusal. A failed write doesn't affect
    ///   the other writes.
    /// - Throws: ``ControllerError`` with `notConnected` or `busy`. With `connectionLost` or `canceled`, the accessory
    ///   may have carried out the writes.
    public func write(
        _ values: [CharacteristicID: CharacteristicValue], timed: Bool = false
    ) async throws(ControllerError) -> [CharacteristicID: Result<CharacteristicValue?, HAPStatus>] {
        try await write(values.sorted { $0.key < $1.key }.map { AccessoryWrite($0.key, $0.value) }, timed: timed)
    }

    /// Writes characteristics in one request, optionally with authorization data or with requests for write responses.
    ///
    /// - Parameters:
    ///   - writes: The writes. If there are several writes for one characteristic, the accessory receives all of them,
    ///     and the last result in its response counts.
    ///   - timed: Whether to use timed writes for all characteristics.
    /// - Returns: A result for each characteristic: on success, the write response or `nil`; otherwise the status of
    ///   the refusal.
    /// - Throws: ``ControllerError`` with `notConnected` or `busy`. With `connectionLost` or `canceled`, the accessory
    ///   may have carried out the writes.
    public func write(
        _ writes: [AccessoryWrite], timed: Bool = false
    ) async throws(ControllerError) -> [CharacteristicID: Result<CharacteristicValue?, HAPStatus>] {
        try await asking { link throws(LinkError) in try await link.write(writes, isTimed: timed) }
            .mapValues { $0.status == .success ? .success($0.response) : .failure($0.status) }
    }

    /// Writes a characteristic.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - id: The characteristic.
    ///   - timed: Whether to use a timed write.
    ///   - wantsResponse: Whether to request a write response; only characteristics with the `writeResponse` permission
    ///     have write responses.
    ///   - authorizationData: The authorization data that an accessory may require for this write (HAP 8.5). Without
    ///     it, such an accessory refuses with `insufficientAuthorization`.
    /// - Returns: The write response, if one was requested and sent.
    /// - Throws: ``ControllerError``; `refused` contains the accessory's status.
    @discardableResult
    public func write(
        _ value: CharacteristicValue, to id: CharacteristicID, timed: Bool = false, wantsResponse: Bool = false,
        authorizationData: [UInt8]? = nil
    ) async throws(ControllerError) -> CharacteristicValue? {
        let write = AccessoryWrite(id, value, wantsResponse: wantsResponse, authorizationData: authorizationData)
        switch try await self.write([write], timed: timed)[id] {
        case .success(let response): return response
        case .failure(let status): throw ControllerError(status, of: name(of: id))
        case nil: throw ControllerError(.refused, "the accessory didn't confirm the write of \(name(of: id))")
        }
    }

    // MARK: Events

    /// Subscribes to characteristics for the lifetime of the stream, and renews the subscriptions when reconnecting.
    ///
    /// The stream begins with the current values. After a reconnect, it contains the current values again, followed by
    /// `connected`. A read also delivers its value to the stream. Every stream contains the events of the whole server,
    /// such as `disconnected`. A slow listener loses the oldest events; see ``maximumWaiting``.
    ///
    /// A controller receives no event for its own writes, unless the resulting value differs from the written one (HAP
    /// 10.2). The controller reads such a value again, so the stream may contain it twice.
    ///
    /// - Parameter ids: The characteristics; if empty, the stream contains only the events of the server.
    /// - Returns: The values and events; the stream ends with the body of ``Controller/withAccessory(_:at:_:)``.
    /// - Throws: ``ControllerError`` with `refused` if the accessory refuses a subscription, for example because the
    ///   characteristic has no events, or with `canceled`.
    public func events(of ids: Set<CharacteristicID> = []) async throws(ControllerError) -> AsyncStream<Event> {
        let events = listen(ids)
        let outcomes = await link.observe(desired)
        if Task.isCancelled { throw .canceled }
        for case (let id, .refused(let status)) in outcomes {
            throw ControllerError(status, of: "events of \(name(of: id))")
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

    // MARK: Identification and unpairing

    /// Makes an accessory identify itself, for example by blinking.
    ///
    /// - Parameter aid: The accessory; 1 is the server's own accessory.
    /// - Throws: ``ControllerError``; `refused` contains the accessory's status.
    public func identify(_ aid: AccessoryID = .bridge) async throws(ControllerError) {
        let status = try await asking { link throws(LinkError) in try await link.identify(aid) }
        guard status == .success else { throw ControllerError(status, of: "to identify accessory \(aid)") }
    }

    /// Removes this controller's pairing from the accessory and from the store.
    ///
    /// If this controller was the accessory's last admin, the accessory removes all other pairings and can be paired
    /// again (HAP 6.6).
    ///
    /// - Throws: ``ControllerError``. After `storeUnusable`, the accessory has removed the pairing, but the store still
    ///   contains it.
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
            throw ControllerError(.storeUnusable, "the store can't be used: \(error)")
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

extension AccessoryObject {
    /// The accessory without values, for comparing structures.
    fileprivate var structure: AccessoryObject {
        var accessory = self
        for service in services.indices {
            for index in services[service].characteristics.indices {
                accessory.services[service].characteristics[index].value = nil
            }
        }
        return accessory
    }
}
