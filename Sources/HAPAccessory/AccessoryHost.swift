public import AccessoryRole
internal import DatabaseKit
internal import Discovery
internal import GRDB
public import HAPModel
internal import HAPProtocol
internal import HAPTransport
public import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import Synchronization
internal import SystemKit
internal import UnixSignals

/// An accessory server as a program, with its own identity, database, port and mDNS record: a stand-alone accessory, or a
/// bridge with accessories behind it.
///
/// ```swift
/// let host = try await AccessoryHost(profile, functions: functions, directory: directory)
/// try await host.run {
///     await host.update(.currentTemperature, to: .float(21.5))
/// }
/// ```
public final class AccessoryHost: Sendable {
    /// Marks the database as that of a stand-alone accessory: "HAPA" in ASCII.
    private static let applicationID: Int32 = 0x4841_5041
    /// The most accessories behind a bridge: 149, 150 with the bridge itself (HAP 9.3).
    public static let maximumBridged = AccessoryDatabase.maximumAccessories - 1

    private let profile: AccessoryProfile
    private let identity: AccessoryIdentity
    private let server: AccessoryServer
    private let listener: AccessoryListener
    private let database: ServerDatabase
    private let state: Mutex<State>

    private struct State {
        var places: Places
        var bridged: BridgedAccessoryIDs
    }

    /// The directory's memory; given up when the host has run, so that another may use it.
    private let file: Mutex<DatabaseFile?>
    private let loops: MultiThreadedEventLoopGroup
    private let logger: Logger

    // MARK: Making it

    /// Opens the memory of a stand-alone accessory, or begins a new one, and listens; mDNS shows it only when it runs.
    ///
    /// - Parameters:
    ///   - profile: what the accessory is.
    ///   - functions: what it can do, the primary one first; those of one type have ids.
    ///   - source: takes what controllers write; `nil` for an accessory that can only be read.
    ///   - directory: where identity and pairings are kept; one directory is one accessory. It holds the accessory's secret key:
    ///     it is made for your user alone.
    ///   - setupCode: the code that controllers pair with; `nil` for one that is drawn at the first start and kept.
    ///   - logger: where it logs; the setup code never goes there.
    /// - Throws: ``AccessoryHostError``.
    public convenience init(
        _ profile: AccessoryProfile, functions: [AccessoryFunction], source: (any AccessorySource)? = nil,
        directory: String, setupCode: SetupCode? = nil, logger: Logger = Logger(label: "accessory")
    ) async throws(AccessoryHostError) {
        try await self.init(
            profile, functions: functions, accessories: [], source: source, directory: directory, setupCode: setupCode,
            logger: logger)
    }

    /// Opens the memory of a bridge, or begins a new one, and listens; mDNS shows it only when it runs.
    ///
    /// - Parameters:
    ///   - profile: what the bridge is; its category is `bridge`.
    ///   - accessories: what is behind it, at most ``maximumBridged``. An accessory that is missing the next time is gone for
    ///     controllers, and comes back under its id as the one it was.
    ///   - directory: where identity, pairings, aids and iids are kept; one directory is one bridge. It holds the bridge's secret
    ///     key: it is made for your user alone.
    ///   - setupCode: the code that controllers pair with; `nil` for one that is drawn at the first start and kept.
    ///   - logger: where it logs; the setup code never goes there.
    /// - Throws: ``AccessoryHostError``.
    public convenience init(
        _ profile: AccessoryProfile, accessories: [BridgedAccessory], directory: String, setupCode: SetupCode? = nil,
        logger: Logger = Logger(label: "bridge")
    ) async throws(AccessoryHostError) {
        try await self.init(
            profile, functions: [], accessories: accessories, source: nil, directory: directory, setupCode: setupCode,
            logger: logger)
    }

    private convenience init(
        _ profile: AccessoryProfile, functions: [AccessoryFunction], accessories: [BridgedAccessory],
        source: (any AccessorySource)?, directory: String, setupCode: SetupCode?, logger: Logger
    ) async throws(AccessoryHostError) {
        do {
            let (own, bridged) = (functions, accessories)
            try await self.init(profile, directory: directory, setupCode: setupCode, logger: logger) {
                ids, bridgedIDs in
                try Self.check(bridged)
                var places = Places()
                let primary = try PrimaryAccessory(profile.information, functions: own, ids: ids)
                ids = primary.ids
                places.add(own, of: primary.accessory, as: nil)
                var served = [(primary.accessory, source)]
                for accessory in bridged {
                    let made = try accessory.made(&bridgedIDs)
                    places.add(accessory.functions, of: made, as: accessory.id)
                    served.append((made, accessory.source))
                }
                return (places, served)
            }
        } catch {
            throw AccessoryHostError(error)
        }
    }

    private static let tooMany = AccessoryHostError(
        .invalidAccessory, "a bridge has at most \(maximumBridged) accessories behind it")

    private static func check(_ bridged: [BridgedAccessory]) throws(AccessoryHostError) {
        guard bridged.count <= maximumBridged else { throw tooMany }
        var seen: Set<String> = []
        for accessory in bridged where !seen.insert(accessory.id).inserted {
            throw AccessoryHostError(.invalidAccessory, "two accessories have the id \(accessory.id)")
        }
    }

    /// Opens the memory of an accessory server, or begins a new one, and listens; mDNS shows it only when it runs.
    ///
    /// - Parameters:
    ///   - profile: what the server is.
    ///   - source: takes what controllers write; `nil` if all can only be read.
    ///   - directory: where identity and pairings are kept; one directory is one server.
    ///   - setupCode: the code that it has from its first start on; drawn if `nil`.
    ///   - logger: where it logs.
    ///   - accessories: makes the accessories, the server's own first, from the iids given to that one so far, and notes
    ///     those it gives.
    /// - Throws: `DatabaseFileError`, `ListenerError`, or `ComplianceError` if controllers would refuse an accessory.
    package convenience init(
        _ profile: AccessoryProfile, source: (any AccessorySource)?, directory: String, setupCode: SetupCode? = nil,
        logger: Logger, accessories: (inout InstanceIDs) -> [Accessory]
    ) async throws {
        try await self.init(profile, directory: directory, setupCode: setupCode, logger: logger) { ids, _ in
            (Places(), accessories(&ids).map { ($0, source) })
        }
    }

    // `serving` makes what is served from the ids given so far, and notes those that it gives.
    private init(
        _ profile: AccessoryProfile, directory: String, setupCode: SetupCode?, logger: Logger,
        serving: (inout InstanceIDs, inout BridgedAccessoryIDs) throws -> (
            Places, [(Accessory, (any AccessorySource)?)]
        )
    ) async throws {
        self.profile = profile
        self.logger = logger
        var migrator = ServerDatabase.migrator
        migrator.registerMigration("3", migrate: BridgedAccessoryIDs.createTable)
        let file = try DatabaseFile(
            path: directory + "/accessory.sqlite", migrator: migrator, applicationID: Self.applicationID, logger: logger
        )
        self.file = Mutex(file)
        database = ServerDatabase(file.queue)
        var stored = try await database.load()
        if let setupCode, setupCode != stored.setupCode {
            stored.setupCode = setupCode
            try await database.save(setupCode: setupCode)
        }
        identity = stored.identity

        loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = loops.next()
        let (executor, scheduler) = (EventLoopExecutor(loop), EventLoopScheduler(loop))
        server = AccessoryServer(
            executor: executor, scheduler: scheduler, store: database, stored: stored, profile: profile,
            eventWindow: .milliseconds(250), logger: logger)

        let known = try await file.queue.read { try BridgedAccessoryIDs($0) }
        var (ids, bridged) = (stored.instanceIDs, known)
        let (places, served) = try serving(&ids, &bridged)
        state = Mutex(State(places: places, bridged: bridged))
        // Durable before anybody sees them.
        if ids != stored.instanceIDs { try await database.save(instanceIDs: ids) }
        if bridged != known { try await database.commit { [bridged] in try bridged.save($0) } }
        for (accessory, source) in served {
            try await server.set(accessory, source: source.map { HostedSource($0, places) }, isReachable: true)
        }
        await server.reconcileStructure()
        await server.start()
        listener = try await Self.listen(database) { [server] port throws(ListenerError) in
            try await AccessoryListener(port: port, on: loop, for: server, logger: logger)
        }
    }

    /// Listens on the port of the last run, or on another one if that is taken.
    private static func listen(
        _ database: ServerDatabase, _ listen: (Int) async throws(ListenerError) -> AccessoryListener
    ) async throws -> AccessoryListener {
        if let port = try await database.port() {
            do { return try await listen(port) } catch ListenerError.portTaken {}
        }
        let listener = try await listen(0)
        try await database.save(port: listener.port)
        return listener
    }

    // MARK: Running it

    /// Shows the accessory in mDNS and serves it until SIGTERM or SIGINT, or until `work` throws.
    ///
    /// mDNS is the host's Avahi. The accessory is shown as soon as Avahi runs, and again whenever it has been restarted.
    ///
    /// - Parameters:
    ///   - advertises: whether mDNS shows it; without, controllers need its address and ``port``.
    ///   - work: what the accessory does all the time, such as measuring; cancelled at the end. When it returns, the accessory
    ///     goes on.
    /// - Throws: what `work` throws, or ``AccessoryHostError`` with `discoveryUnavailable`.
    public func run(
        advertises: Bool = true, _ work: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        // They end in the reverse order: mDNS first, so that no controller is led to an accessory that has stopped.
        var services: [any ServiceLifecycle.Service] = [
            Part {
                try await cancelWhenGracefulShutdown {
                    try await work()
                    try? await gracefulShutdown()
                }
            }, Part(run: serve),
        ]
        if advertises { services.append(Part(run: publish)) }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        var failure: (any Error)?
        do { try await group.run() } catch { failure = error }
        // However it has ended, the directory is free for the next.
        try await loops.shutdownGracefully()
        try file.withLock { $0.take() }?.close()
        switch failure {
        case nil, is CancellationError: break
        case let error as DiscoveryError: throw AccessoryHostError(error)
        case let error?: throw error
        }
    }

    // MARK: For controllers

    /// The TCP port that it listens on; the same after a restart, unless another program has taken it meanwhile.
    public var port: Int { listener.port }

    /// Its device id, which it keeps as long as its directory.
    public var deviceID: DeviceID { identity.deviceID }

    /// What a controller needs to pair, to be shown to the user only: the setup code, and as `SetupPayload.uri` the text of a
    /// QR code.
    public var setupPayload: SetupPayload { get async { await server.setupPayload } }

    /// Whether a controller has paired; a second one is let in by the first, and pairs not by code.
    public var isPaired: Bool { get async { await server.isPaired } }

    /// Forgets wrong setup codes, so that controllers can pair again.
    ///
    /// After each wrong code pauses follow, which grow. After 100 without a right one no controller can pair any more, also
    /// after a restart, until this is called. Call it when the accessory's owner asks for it, such as with a button.
    ///
    /// - Throws: ``AccessoryHostError`` if the directory can't be written; nothing has changed then.
    public func unlockPairing() async throws(AccessoryHostError) {
        do { try await server.unlockPairing() } catch { throw AccessoryHostError(error) }
    }

    /// Shows the setup code on standard output, as long as no controller has paired; a log never sees it.
    public func printSetupCode() async {
        guard await !server.isPaired, let code = await server.setupPayload.code else { return }
        StandardStreams.printLine("setup code: \(code.text)")
    }

    // MARK: What is behind a bridge

    /// Adds an accessory to those behind a bridge, or describes one of the same id anew; controllers learn of it within seconds.
    ///
    /// - Parameter accessory: what is added. One that was there before, also before a restart of the bridge, is the one it was.
    /// - Throws: ``AccessoryHostError``; controllers see no change then, and adding it again may do.
    public func add(_ accessory: BridgedAccessory) async throws(AccessoryHostError) {
        do {
            let (made, places, entry) = try state.withLock { state in
                let isNew = state.places.aid(of: accessory.id) == nil
                guard !isNew || state.places.bridgedCount < Self.maximumBridged else { throw Self.tooMany }
                var bridged = state.bridged
                let made = try accessory.made(&bridged)
                try made.checkCompliance()
                state.bridged = bridged
                state.places.remove(accessory.id)
                state.places.add(accessory.functions, of: made, as: accessory.id)
                return (made, state.places, bridged[accessory.id])
            }
            // Durable before anybody sees it.
            try await database.commit { try BridgedAccessoryIDs.save(entry, of: accessory.id, $0) }
            try await server.set(made, source: accessory.source.map { HostedSource($0, places) }, isReachable: true)
        } catch {
            throw AccessoryHostError(error)
        }
    }

    /// Removes an accessory from those behind a bridge; its numbers are kept, should it come back.
    ///
    /// Controllers forget the rooms and scenes of what is removed. One that is only switched off is out of reach:
    /// ``setReachable(_:of:)``.
    ///
    /// - Parameter id: the ``BridgedAccessory/id``; nothing happens if there is none.
    public func remove(_ id: String) async {
        let aid = state.withLock { state in
            defer { state.places.remove(id) }
            return state.places.aid(of: id)
        }
        if let aid { await server.remove(aid) }
    }

    // MARK: What devices say

    /// Says what a characteristic has for a value now; subscribers get an event if it is another one.
    ///
    /// Of a button each call is a press.
    ///
    /// - Parameters:
    ///   - type: a characteristic of the accessory's functions; others are passed over.
    ///   - accessory: the ``BridgedAccessory/id`` of an accessory behind a bridge; `nil` for the only accessory.
    ///   - function: the `AccessoryFunction.id` of the function; `nil` for the first that has the characteristic.
    ///   - value: the value, forced into the characteristic's limits.
    public func update(
        _ type: CharacteristicType, of accessory: String? = nil, in function: String? = nil,
        to value: CharacteristicValue
    ) async {
        guard let place = state.withLock({ $0.places[type, accessory, function] }) else { return }
        await update(place.aid, [(place.iid, value)])
    }

    /// Says whether the device of an accessory can be reached; until it can, controllers that read or write get
    /// `unableToCommunicate`.
    ///
    /// - Parameters:
    ///   - isReachable: whether it can.
    ///   - accessory: the ``BridgedAccessory/id`` of an accessory behind a bridge; `nil` for the only accessory. Others are
    ///     passed over.
    public func setReachable(_ isReachable: Bool, of accessory: String? = nil) async {
        guard let aid = state.withLock({ $0.places.aid(of: accessory) }) else { return }
        await setReachable(isReachable, aid)
    }

    /// What a characteristic has for a value now, as controllers see it.
    ///
    /// - Parameters:
    ///   - type: a characteristic of the accessory's functions.
    ///   - accessory: the ``BridgedAccessory/id`` of an accessory behind a bridge; `nil` for the only accessory.
    ///   - function: the `AccessoryFunction.id` of the function; `nil` for the first that has the characteristic.
    /// - Returns: the value; `nil` if there is no such characteristic, or it cannot be read.
    public func value(
        of type: CharacteristicType, of accessory: String? = nil, in function: String? = nil
    ) async -> CharacteristicValue? {
        guard let place = state.withLock({ $0.places[type, accessory, function] }) else { return nil }
        return await server.reading(place)?.value
    }

    /// Reports the present values of characteristics, within their limits; subscribers get an event of each that
    /// differs, and of each press.
    package func update(_ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)]) async {
        await server.update(aid, values)
    }

    /// Says whether an accessory's device can be reached; what is written to one that cannot is refused.
    package func setReachable(_ isReachable: Bool, _ aid: AccessoryID) async {
        await server.setReachable(isReachable, aid)
    }

    /// All accessories, the server's own first, with what they show now.
    public var accessories: [Accessory] { get async { await server.accessories } }

    // MARK: Parts

    private struct Part: ServiceLifecycle.Service {
        let body: @Sendable () async throws -> Void

        init(run body: @escaping @Sendable () async throws -> Void) { self.body = body }

        func run() async throws { try await body() }
    }

    private func serve() async throws {
        try? await gracefulShutdown()
        await listener.close()
        await server.stop()
    }

    private func publish() async throws {
        let publisher = try AvahiServicePublisher(logger: logger)
        try publisher.start()
        let name = ServiceRecord.instanceName(profile.information.name, suffix: identity.deviceID.suffix)
        await cancelWhenGracefulShutdown { [server, listener] in
            for await advertisement in server.advertisements {
                publisher.publish(
                    ServiceRecord(
                        name: name, type: Advertisement.serviceType, port: UInt16(listener.port),
                        txt: TXTRecord(advertisement.txt.map { ($0.key, $0.value) })))
            }
        }
        await publisher.stop()
    }
}
