import AccessoryRole
import BridgeControl
import DeviceBridge
import Discovery
import HAPAccessory
import HAPModel
import HAPProtocol
import HAPTransport
import Logging
import NIOCore
import ServiceLifecycle
import TerminalKit
import YAMLKit

/// The bridges of this process: the configured bridge, and additional bridges for lights that exceed its limit.
///
/// All bridges share one event loop. Each has its own identity, setup code, port and mDNS record, and is paired
/// separately.
actor Bridges: ServiceLifecycle.Service {
    /// The delay before controllers see a newly opened bridge, during which lights are added to it.
    private static let startDelay = Duration.seconds(1)

    private var configuration: BridgeSection
    private let ownership: OwnershipRequirement?
    private let database: BridgeDatabase
    private let loop: any EventLoop
    /// The shared executor of all actors that handle requests.
    ///
    /// With separate executors, each call between the actors would have to be enqueued.
    nonisolated let executor: EventLoopExecutor
    private let logger: Logger
    /// The servers by bridge number, including those that don't listen yet.
    private(set) var servers: [Int: AccessoryServer] = [:]
    /// The listening bridges, by number.
    private(set) var all: [Bridge] = []
    /// A Boolean value that indicates whether ``start()`` has been called.
    ///
    /// Bridges that are opened later start automatically.
    private var isStarted = false
    private let opened: AsyncStream<(bridge: Bridge, isLate: Bool)>
    private let open: AsyncStream<(bridge: Bridge, isLate: Bool)>.Continuation

    /// Creates the servers of all stored bridges.
    ///
    /// The servers don't listen until ``listen()`` is called.
    ///
    /// - Throws: Database errors, or `ComplianceError`.
    init(
        _ configuration: BridgeSection, _ ownership: OwnershipRequirement?, stored: StoredBridge,
        database: BridgeDatabase, loop: any EventLoop, logger: Logger
    ) async throws {
        self.configuration = configuration
        self.ownership = ownership
        self.database = database
        self.loop = loop
        executor = EventLoopExecutor(loop)
        self.logger = logger
        (opened, open) = AsyncStream.makeStream()
        for (number, stored) in stored.servers { servers[number] = try await server(number, stored) }
    }

    /// A Boolean value that indicates whether any bridge is paired with a controller.
    var isPaired: Bool {
        get async {
            for server in servers.values where await server.isPaired { return true }
            return false
        }
    }

    /// Starts listening for controllers.
    ///
    /// - Returns: The first bridge.
    /// - Throws: `ListenerError` or `DiscoveryError`.
    func listen() async throws -> Bridge {
        for (number, server) in servers.sorted(by: { $0.key < $1.key }) { try await listen(number, server) }
        return all[0]
    }

    /// Opens an additional bridge.
    ///
    /// Controllers see the bridge a second later, when its first lights have been added.
    ///
    /// - Throws: Database errors, `ListenerError` or `DiscoveryError`. The next attempt uses the state that was stored
    ///   before the error.
    func open(_ number: Int) async throws -> AccessoryServer {
        let server: AccessoryServer
        if let prepared = servers[number] {
            server = prepared
        } else {
            server = try await self.server(number, try await database.server.server(number).make())
            servers[number] = server
        }
        let bridge = try await listen(number, server)
        logger.notice(
            "bridge opened",
            metadata: ["bridge": "\(number)", "device": "\(bridge.deviceID)", "port": "\(bridge.port)"])
        return server
    }

    private func server(_ number: Int, _ stored: StoredServer) async throws -> AccessoryServer {
        let profile = AccessoryProfile.deviceBridge(
            name: name(number), serialNumber: stored.identity.deviceID.description, firmware: Version.number)
        let store = database.server.server(number)
        let server = AccessoryServer(
            executor: executor, scheduler: EventLoopScheduler(loop), store: store, stored: stored,
            profile: profile, ownership: ownership, eventWindow: configuration.eventWindow, logger: logger)
        let primary = PrimaryAccessory(profile.information, ids: stored.instanceIDs)
        if primary.ids != stored.instanceIDs { try await store.save(instanceIDs: primary.ids) }
        try await server.set(primary.accessory, source: nil, isReachable: true)
        return server
    }

    private func name(_ number: Int) -> String {
        number == 1 ? configuration.name.valid : "\(configuration.name.valid) \(number)"
    }

    @discardableResult
    private func listen(_ number: Int, _ server: AccessoryServer) async throws -> Bridge {
        let listener = try await listener(number, server, database.server.server(number))
        let deviceID = server.identity.deviceID
        let publisher: UniquePublisher?
        do {
            publisher = try makePublisher(deviceID, port: listener.port)
        } catch {
            // Close the listener, so that its port is free for the next attempt.
            await listener.close()
            throw error
        }
        let bridge = Bridge(
            number: number, name: name(number), deviceID: deviceID, port: listener.port, server: server,
            publisher: publisher, interfaces: configuration.interfaces.selection, listener: listener)
        all.append(bridge)
        open.yield((bridge, isLate: isStarted))
        return bridge
    }

    /// Sets the event window of all current and future bridges.
    func use(eventWindow: Duration) async {
        configuration.eventWindow = eventWindow
        for server in servers.values { await server.use(eventWindow: eventWindow) }
    }

    /// Starts the servers of all listening bridges, whose accessories must be complete.
    func start() async {
        isStarted = true
        for bridge in all { await bridge.start() }
    }

    /// Advertises the bridges.
    ///
    /// During the shutdown, all bridges are withdrawn from mDNS before they reject connections.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await (bridge, isLate) in opened.cancelOnGracefulShutdown() {
                group.addTask {
                    if isLate { await Self.startLate(bridge) }
                    try await bridge.advertise()
                }
            }
        }
        await withDiscardingTaskGroup { group in
            for bridge in all { group.addTask { await bridge.stop() } }
        }
    }

    private static func startLate(_ bridge: Bridge) async {
        await cancelWhenGracefulShutdown {
            guard (try? await Task.sleep(for: startDelay)) != nil else { return }
            await bridge.start()
        }
    }

    // MARK: Ports

    /// Starts listening for controllers of a bridge.
    ///
    /// The bridge listens on the first of these ports that applies:
    ///
    /// 1. The configured port, for bridge 1. If it is taken, the call throws.
    /// 2. The port of the previous run.
    /// 3. The configured port plus `number - 1`, for additional bridges.
    /// 4. A free port, also if the previous port is taken.
    ///
    /// A newly chosen port is stored.
    private func listener(
        _ number: Int, _ server: AccessoryServer, _ store: ServerDatabase
    ) async throws -> AccessoryListener {
        let filter = InterfaceFilter(configuration.interfaces)
        let (loop, logger) = (loop, logger)
        func listen(_ port: Int) async throws(ListenerError) -> AccessoryListener {
            try await AccessoryListener(port: port, on: loop, for: server, isAllowed: filter.allows, logger: logger)
        }
        let former = try await store.port()
        var wanted = former
        if case .fixed(let port) = configuration.port {
            if number == 1 { return try await listen(Int(port)) }
            if wanted == nil, Int(port) + number - 1 <= Int(UInt16.max) { wanted = Int(port) + number - 1 }
        }
        if let wanted {
            do {
                let listener = try await listen(wanted)
                if wanted != former { try await store.save(port: wanted) }
                return listener
            } catch ListenerError.portTaken {
                logger.warning(
                    "port taken",
                    metadata: ["port": "\(wanted)", "holder": "\(PortHolder.description(of: wanted))"])
            }
        }
        let listener = try await listen(0)
        try await store.save(port: listener.port)
        return listener
    }

    // MARK: mDNS

    private func makePublisher(_ deviceID: DeviceID, port: Int) throws -> UniquePublisher? {
        guard configuration.advertise == .avahi else { return nil }
        let probe = CloneProbe(loop: loop, ownPort: port)
        return UniquePublisher(
            publisher: try AvahiServicePublisher(logger: logger),
            // All instance names of a bridge with this identity contain the device ID's suffix, regardless of the
            // bridge's name. The exception is a long name that was truncated to append a number.
            browser: try AvahiServiceBrowser(type: Advertisement.serviceType, logger: logger) { name in
                name.contains(deviceID.suffix) || name.contains(" #")
            },
            watch: CloneWatch(deviceID: deviceID, port: UInt16(port)), scheduler: EventLoopScheduler(loop),
            logger: logger
        ) { probe($0, $1) }
    }
}

extension ConfiguredInterfaces {
    /// The interfaces on which the bridges are advertised.
    var selection: InterfaceSelection {
        switch self {
        case .automatic: .automatic
        case .named(let names): .named(names)
        }
    }
}
