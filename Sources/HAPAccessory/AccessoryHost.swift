public import AccessoryRole
internal import AsyncKit
internal import DatabaseKit
internal import Discovery
internal import GRDB
public import HAPModel
internal import HAPProtocol
internal import HAPTransport
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
internal import Synchronization
internal import SystemKit
public import UnixSignals

/// An accessory server with its own identity, database, port and mDNS record: a stand-alone accessory, or a bridge.
///
/// ```swift
/// let host = try await AccessoryHost(profile, functions: functions, storage: .directory("thermometer.state"))
/// try await host.runService {
///     await host.update(.currentTemperature, to: .float(21.5))
/// }
/// ```
///
/// A host is a `ServiceLifecycle.Service`: add it to your program's `ServiceGroup`, or call
/// ``runService(gracefulShutdownSignals:_:)`` in a program without other services. The host listens only while it runs.
/// A host that hasn't run keeps its storage open until the host is released.
public final class AccessoryHost: ServiceLifecycle.Service {
    /// The maximum number of accessories of a bridge: 149, or 150 including the bridge itself (HAP 9.3).
    public static let maximumBridged = AccessoryDatabase.maximumAccessories - 1

    private let profile: AccessoryProfile
    private let identity: AccessoryIdentity
    let server: AccessoryServer
    private let loop: any EventLoop
    private let database: ServerDatabase
    private let storage: AccessoryStorage.Lease
    package let advertises: Bool
    private let lifecycle = HostLifecycle()
    private let values: HostedValues
    private let handlers = HandlerRuns()
    /// The queue that serializes changes of a bridge's accessories.
    private let changes = SerialQueue()
    private let logger: Logger

    /// An accessory to serve, used only while the host is being created.
    private struct Served {
        let accessory: AccessoryObject
        /// The ``BridgedAccessory/id``; `nil` for the server's own accessory.
        var id: String?
        var source: (any AccessorySource)?
        var handler: (any AccessoryHandler)?
    }

    // MARK: Creation

    /// Opens the storage of a stand-alone accessory, or sets up a new accessory there.
    ///
    /// - Parameters:
    ///   - profile: The category, the name and other information of the accessory.
    ///   - functions: The functions, the primary one first; functions of the same type need ids.
    ///   - handler: The handler that carries out the requests of controllers; `nil` for a read-only accessory.
    ///   - storage: The storage of the identity and the pairings.
    ///   - setupCode: The code that controllers pair with; `nil` for a random one, which the storage keeps.
    ///   - advertises: Whether to advertise the accessory by mDNS. Otherwise, controllers need its address and
    ///     ``port``.
    ///   - logger: The logger, which never receives the setup code.
    /// - Throws: ``AccessoryHostError``.
    public convenience init(
        _ profile: AccessoryProfile, functions: [AccessoryFunction], handler: (any AccessoryHandler)? = nil,
        storage: AccessoryStorage, setupCode: SetupCode? = nil, advertises: Bool = true,
        logger: Logger = Logger(label: "accessory")
    ) async throws(AccessoryHostError) {
        try await self.init(
            profile, functions: functions, accessories: [], handler: handler, storage: storage, setupCode: setupCode,
            advertises: advertises, logger: logger)
    }

    /// Opens the storage of a bridge, or sets up a new bridge there.
    ///
    /// - Parameters:
    ///   - profile: The category, which must be `bridge`, and the name and other information of the bridge.
    ///   - accessories: The initial accessories, at most ``maximumBridged``. Controllers forget an accessory that is
    ///     missing when the next host opens the storage. If it returns later, it gets its previous aid and iids.
    ///   - storage: The storage of the identity, pairings, aids and iids.
    ///   - setupCode: The code that controllers pair with; `nil` for a random one, which the storage keeps.
    ///   - advertises: Whether to advertise the bridge by mDNS. Otherwise, controllers need its address and ``port``.
    ///   - logger: The logger, which never receives the setup code.
    /// - Throws: ``AccessoryHostError``.
    public convenience init(
        _ profile: AccessoryProfile, accessories: [BridgedAccessory], storage: AccessoryStorage,
        setupCode: SetupCode? = nil, advertises: Bool = true, logger: Logger = Logger(label: "bridge")
    ) async throws(AccessoryHostError) {
        try await self.init(
            profile, functions: [], accessories: accessories, handler: nil, storage: storage, setupCode: setupCode,
            advertises: advertises, logger: logger)
    }

    private convenience init(
        _ profile: AccessoryProfile, functions: [AccessoryFunction], accessories: [BridgedAccessory],
        handler: (any AccessoryHandler)?, storage: AccessoryStorage, setupCode: SetupCode?, advertises: Bool,
        logger: Logger
    ) async throws(AccessoryHostError) {
        do {
            let (own, bridged) = (functions, accessories)
            try await self.init(
                profile, storage: storage, setupCode: setupCode, advertises: advertises, logger: logger
            ) { ids, bridgedIDs in
                try Self.check(bridged)
                var places = Places()
                let primary = try PrimaryAccessory(profile.information, functions: own, ids: ids)
                ids = primary.ids
                places.add(own, of: primary.accessory, as: nil)
                var served = [Served(accessory: primary.accessory, handler: handler)]
                for accessory in bridged {
                    let made = try accessory.made(&bridgedIDs)
                    places.add(accessory.functions, of: made, as: accessory.id)
                    served.append(Served(accessory: made, id: accessory.id, handler: accessory.handler))
                }
                return (places, served)
            }
        } catch {
            throw AccessoryHostError(error)
        }
    }

    private static let tooMany = AccessoryHostError(
        .invalidAccessory, "a bridge can have at most \(maximumBridged) accessories")

    private static func check(_ bridged: [BridgedAccessory]) throws(AccessoryHostError) {
        guard bridged.count <= maximumBridged else { throw tooMany }
        var seen: Set<String> = []
        for accessory in bridged where !seen.insert(accessory.id).inserted {
            throw AccessoryHostError(.invalidAccessory, "two accessories have the id \(accessory.id)")
        }
    }

    /// Opens the storage of an accessory server, or sets up a new one there.
    ///
    /// The `accessories` closure creates the accessories, the server's own accessory first. It receives the stored iids
    /// of the server's own accessory and adds new iids.
    ///
    /// - Throws: ``AccessoryHostError``.
    package convenience init(
        _ profile: AccessoryProfile, source: (any AccessorySource)?, storage: AccessoryStorage,
        setupCode: SetupCode? = nil, logger: Logger, accessories: (inout InstanceIDs) -> [AccessoryObject]
    ) async throws {
        do {
            try await self.init(profile, storage: storage, setupCode: setupCode, advertises: true, logger: logger) {
                ids, _ in (Places(), accessories(&ids).map { Served(accessory: $0, source: source) })
            }
        } catch {
            throw AccessoryHostError(error)
        }
    }

    // The closure `serving` creates the accessories from the stored ids, and adds new ids.
    private init(
        _ profile: AccessoryProfile, storage: AccessoryStorage, setupCode: SetupCode?, advertises: Bool,
        logger: Logger,
        serving: (inout InstanceIDs, inout BridgedAccessoryIDs) throws -> (Places, [Served])
    ) async throws {
        self.profile = profile
        self.advertises = advertises
        self.logger = logger
        let lease = try storage.open(logger: logger)
        self.storage = lease
        database = ServerDatabase(lease.queue)
        var stored = try await database.load()
        if let setupCode, setupCode != stored.setupCode {
            stored.setupCode = setupCode
            try await database.save(setupCode: setupCode)
        }
        identity = stored.identity

        // All hosts share the event loops, so that a host that never runs leaves no thread behind.
        loop = MultiThreadedEventLoopGroup.singleton.next()
        server = AccessoryServer(
            executor: EventLoopExecutor(loop), scheduler: EventLoopScheduler(loop), store: database, stored: stored,
            profile: profile, eventWindow: .milliseconds(250), logger: logger)

        let known = try await lease.queue.read { try BridgedAccessoryIDs($0) }
        var (ids, bridged) = (stored.instanceIDs, known)
        let (places, served) = try serving(&ids, &bridged)
        values = HostedValues(server, places: places, bridged: bridged, logger: logger)
        // Store the ids before a controller sees them.
        if ids != stored.instanceIDs { try await database.save(instanceIDs: ids) }
        if bridged != known { try await database.commit { [bridged] in try bridged.save($0) } }
        for served in served {
            if let handler = served.handler {
                try await set(served.accessory, handler, as: served.id, at: places)
            } else {
                try await server.set(served.accessory, source: served.source, isReachable: true)
            }
        }
    }

    /// Serves an accessory with a handler, replacing any accessory with the same aid.
    private func set(
        _ accessory: AccessoryObject, _ handler: any AccessoryHandler, as id: String?, at places: Places
    ) async throws(ComplianceError) {
        let hosted = HostedHandler(handler, of: HostedAccessory(values, id: id), at: places, logger: logger)
        try await server.set(accessory, handler: hosted)
        handlers.set(hosted, of: id)
    }

    // MARK: Running

    /// Listens, advertises and serves until graceful shutdown or cancellation.
    ///
    /// This method installs no signal handlers, because the program's `ServiceGroup` does. The system's avahi-daemon
    /// advertises the accessory as soon as the daemon runs, and again after the daemon restarts. After the run, another
    /// host can use the storage.
    ///
    /// - Throws: ``AccessoryHostError`` with `alreadyRun` on the second call, `portUnavailable`, `discoveryUnavailable`
    ///   or `storageUnavailable`, or the error of a handler's ``AccessoryHandler/run(_:)``.
    public func run() async throws {
        try await run(on: SystemNetwork())
    }

    /// Runs the host on the given network instead of the system's.
    ///
    /// - Throws: The same errors as ``run()``.
    package func run(on network: any HostNetwork) async throws {
        try lifecycle.start()
        try await serve(on: network)
    }

    /// Runs the host until a signal arrives, the task is canceled, or `work` or a handler throws an error.
    ///
    /// Use this method in programs without a `ServiceGroup`. After the run, the signals have their previous actions
    /// again.
    ///
    /// - Parameters:
    ///   - gracefulShutdownSignals: The signals that end the run.
    ///   - work: The accessory's own work, such as measuring. It starts when the host listens, and is canceled when the
    ///     run ends. If it returns, the host keeps running.
    /// - Throws: The error of `work`, unless it is a `CancellationError`, or the same errors as ``run()``.
    public func runService(
        gracefulShutdownSignals: [UnixSignal] = [.sigterm, .sigint],
        _ work: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        try lifecycle.start()
        SignalActions.replace(gracefulShutdownSignals)
        // The services end in reverse order.
        let group = ServiceGroup(
            services: [
                Part {
                    try await self.serve(on: SystemNetwork())
                    // A handler has thrown a `CancellationError`. End the run, as after a `CancellationError` from
                    // `work`.
                    if !Task.isCancelled, !Task.isShuttingDownGracefully { throw CancellationError() }
                },
                Part { [lifecycle] in
                    try await cancelWhenGracefulShutdown {
                        if (try? await lifecycle.port) != nil { try await work() }
                        try? await gracefulShutdown()
                    }
                },
            ], gracefulShutdownSignals: gracefulShutdownSignals, logger: logger)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await group.run()) } catch { outcome = .failure(error) }
        // Restore the actions on the thread of the event loop, because that thread outlives the run.
        try await loop.submit { SignalActions.restore(gracefulShutdownSignals) }.get()
        do { try outcome.get() } catch is CancellationError {}
    }

    private struct Part: ServiceLifecycle.Service {
        let body: @Sendable () async throws -> Void

        init(run body: @escaping @Sendable () async throws -> Void) { self.body = body }

        func run() async throws { try await body() }
    }

    private func serve(on network: any HostNetwork) async throws {
        var failure: (any Error)?
        do {
            await server.use(network.scheduler(on: loop))
            await server.reconcileStructure()
            await server.start()
            let listener = try await listen(on: network)
            lifecycle.listens(on: listener.port)
            do { try await serve(on: network, port: listener.port) } catch { failure = error }
            await listener.close()
        } catch {
            failure = error is CancellationError ? error : AccessoryHostError(error)
        }
        lifecycle.end()
        // The server uses a real clock while it stops, because a test may no longer advance its own clock.
        await server.use(EventLoopScheduler(loop))
        await server.stop()
        await server.removeHandlers()
        // Free the storage for the next host, even if the run failed.
        do { try storage.close() } catch { failure = failure ?? AccessoryHostError(error) }
        switch failure {
        case nil, is CancellationError: break
        case let error?: throw error
        }
    }

    /// Advertises the accessory and runs the handlers until graceful shutdown, cancellation or an error.
    private func serve(on network: any HostNetwork, port: Int) async throws {
        try await cancelWhenGracefulShutdown { [self] in
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try? await gracefulShutdown() }
                group.addTask { try await self.handlers.run() }
                if advertises { group.addTask { try await self.publish(port: port, on: network) } }
            }
        }
    }

    /// Listens on the port of the previous run, or on a free port if that port is in use.
    private func listen(on network: any HostNetwork) async throws -> any HostListener {
        func listen(_ port: Int) async throws(ListenerError) -> any HostListener {
            try await network.listen(on: port, for: server, loop: loop, logger: logger)
        }
        if let port = try await database.port() {
            do { return try await listen(port) } catch {
                guard case .portTaken = error else { throw error }
            }
        }
        let listener = try await listen(0)
        try await database.save(port: listener.port)
        return listener
    }

    // MARK: Pairing

    /// The TCP port; reading this property waits until the host listens.
    ///
    /// The port stays the same after a restart, unless another program is using it.
    ///
    /// - Throws: ``AccessoryHostError`` with `notRunning` if the host has ended, or `CancellationError`.
    public var port: Int { get async throws { try await lifecycle.port } }

    /// The device id, which is part of the storage.
    public var deviceID: DeviceID { identity.deviceID }

    /// The setup code, with the text of its QR code in `SetupPayload.uri`; show it only to the user.
    public var setupPayload: SetupPayload { get async { await server.setupPayload } }

    /// A Boolean value that indicates whether a controller has paired.
    ///
    /// The paired controller can add other controllers without the setup code.
    public var isPaired: Bool { get async { await server.isPaired } }

    /// Resets the count of wrong setup codes, so that controllers can pair again.
    ///
    /// Wrong codes lead to growing pauses. After 100 wrong codes without a correct one, no controller can pair until
    /// this method is called, even after a restart. Call it at the request of the accessory's owner, for example when
    /// the owner presses a button.
    ///
    /// - Throws: ``AccessoryHostError`` if the storage can't be written; in this case, the count is unchanged.
    public func unlockPairing() async throws(AccessoryHostError) {
        do { try await server.unlockPairing() } catch { throw AccessoryHostError(error) }
    }

    /// Prints the setup code to standard output, unless a controller has paired; the code is never logged.
    public func printSetupCode() async {
        guard await !server.isPaired, let code = await server.setupPayload.code else { return }
        StandardStreams.printLine("setup code: \(code.text)")
    }

    // MARK: Accessories of a bridge

    /// Adds an accessory to a bridge, or replaces the accessory with the same id.
    ///
    /// Controllers are notified within seconds.
    ///
    /// If the bridge ever had an accessory with the same id, even before a restart, the accessory gets the previous aid
    /// and iids.
    ///
    /// - Throws: ``AccessoryHostError``. In this case, controllers see no change, and another attempt may succeed.
    public func add(_ accessory: BridgedAccessory) async throws(AccessoryHostError) {
        do {
            try await changes.run { [self] in try await addNow(accessory) }
        } catch {
            throw AccessoryHostError(error)
        }
    }

    private func addNow(_ accessory: BridgedAccessory) async throws {
        var (places, bridged) = values.state.withLock { ($0.places, $0.bridged) }
        let isNew = places.aid(of: accessory.id) == nil
        guard !isNew || places.bridgedCount < Self.maximumBridged else { throw Self.tooMany }
        let made = try accessory.made(&bridged)
        try made.checkCompliance()
        places.remove(accessory.id)
        places.add(accessory.functions, of: made, as: accessory.id)
        // Store the ids before a controller sees them.
        let entry = bridged[accessory.id]
        try await database.commit { try BridgedAccessoryIDs.save(entry, of: accessory.id, $0) }
        values.state.withLock { [places, bridged] in ($0.places, $0.bridged) = (places, bridged) }
        if let handler = accessory.handler {
            try await set(made, handler, as: accessory.id, at: places)
        } else {
            try await server.set(made, source: nil, isReachable: true)
            handlers.set(nil, of: accessory.id)
        }
    }

    /// Removes an accessory from a bridge, but keeps its aid and iids in case the accessory returns.
    ///
    /// Controllers forget the room and the scenes of a removed accessory. For an accessory that is only switched off,
    /// use ``setReachable(_:of:)``.
    ///
    /// - Parameter id: The ``BridgedAccessory/id``; unknown ids are ignored.
    public func remove(_ id: String) async {
        await changes.run { [self] in
            let aid = values.state.withLock { state in
                defer { state.places.remove(id) }
                return state.places.aid(of: id)
            }
            handlers.set(nil, of: id)
            if let aid { await server.remove(aid) }
        }
    }

    // MARK: Values

    /// Reports the current value of a characteristic.
    ///
    /// Subscribers get an event if the value differs from the previous one. For a button, each call is a press.
    ///
    /// Reporting a characteristic that the accessory doesn't have is a programming error, which is logged once and
    /// stops a debug build. An impossible value, such as a string for a number, is logged once and ignored.
    ///
    /// - Parameters:
    ///   - type: A characteristic of the accessory's functions.
    ///   - accessory: The ``BridgedAccessory/id`` of an accessory of a bridge; `nil` for a stand-alone accessory.
    ///     Removed accessories are ignored.
    ///   - function: The `AccessoryFunction.id` of the function; `nil` for the first function with the characteristic.
    ///   - value: The value. Numbers are clamped to the characteristic's limits.
    public func update(
        _ type: CharacteristicType, of accessory: String? = nil, in function: String? = nil,
        to value: CharacteristicValue
    ) async { await values.update(type, of: accessory, in: function, to: value) }

    /// Reports whether the device of an accessory is reachable.
    ///
    /// While the device is unreachable, controllers that read or write get `unableToCommunicate`.
    ///
    /// - Parameters:
    ///   - isReachable: Whether the device is reachable.
    ///   - accessory: The ``BridgedAccessory/id`` of an accessory of a bridge; `nil` for a stand-alone accessory.
    ///     Removed accessories are ignored.
    public func setReachable(_ isReachable: Bool, of accessory: String? = nil) async {
        await values.setReachable(isReachable, of: accessory)
    }

    /// Returns the value of a characteristic as controllers see it.
    ///
    /// - Parameters:
    ///   - type: A characteristic of the accessory's functions.
    ///   - accessory: The ``BridgedAccessory/id`` of an accessory of a bridge; `nil` for a stand-alone accessory.
    ///   - function: The `AccessoryFunction.id` of the function; `nil` for the first function with the characteristic.
    /// - Returns: The value; `nil` if the characteristic doesn't exist or can't be read.
    public func value(
        _ type: CharacteristicType, of accessory: String? = nil, in function: String? = nil
    ) async -> CharacteristicValue? { await values.value(type, of: accessory, in: function) }

    /// Reports the current values of characteristics, clamped to their limits.
    ///
    /// Subscribers get an event for each value that differs from the previous one, and for each button press, unless
    /// `isQuiet` is `true`.
    package func update(
        _ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)], isQuiet: Bool = false
    ) async {
        await server.update(aid, values, isQuiet: isQuiet)
    }

    /// Reports whether an accessory's device is reachable.
    ///
    /// While the device is unreachable, requests get `unableToCommunicate`.
    package func setReachable(_ isReachable: Bool, _ aid: AccessoryID) async {
        await server.setReachable(isReachable, aid)
    }

    /// All accessories with their current values, the server's own accessory first.
    public var accessories: [AccessoryObject] { get async { await server.accessories } }

    // MARK: Implementation

    private func publish(port: Int, on network: any HostNetwork) async throws {
        let publisher: any ServicePublisher
        do {
            publisher = try network.publisher(logger: logger)
            try publisher.start()
        } catch {
            throw AccessoryHostError(error)
        }
        let name = ServiceRecord.instanceName(profile.information.name, suffix: identity.deviceID.suffix)
        for await advertisement in server.advertisements {
            publisher.publish(
                ServiceRecord(
                    name: name, type: Advertisement.serviceType, port: UInt16(port),
                    txt: TXTRecord(advertisement.txt.map { ($0.key, $0.value) })))
        }
        // Withdraw the record even if this task is canceled.
        await Task { await publisher.stop() }.value
    }
}
