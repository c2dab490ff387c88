package import AccessoryRole
package import HAPModel
package import HAPProtocol
internal import HAPTransport
package import Logging
package import NIOCore
internal import NIOPosix
internal import Synchronization

/// An accessory server with a test clock and a test store, assembled as in the daemons.
package final class ServerUnderTest: Sendable {
    /// The event loop of the server and its connections.
    package let loop: any EventLoop
    package let executor: any SerialExecutor
    /// The server's clock, which the test advances.
    package let scheduler: ManualScheduler
    package let identity: AccessoryIdentity
    package let server: AccessoryServer
    private let store: any AccessoryServerStore
    private let stored: StoredServer
    private let profile: AccessoryProfile
    private let lastConnection = Mutex<UInt64>(0)

    /// The default profile.
    package static let bridge = AccessoryProfile(
        category: .bridge,
        information: AccessoryInformation(
            name: "Bridge", manufacturer: "Lamplighter", model: "Lamplighter Bridge", serialNumber: "0001",
            firmware: "1.0"))

    /// Creates a server without starting it.
    package init(
        _ store: any AccessoryServerStore, stored: StoredServer, profile: AccessoryProfile = bridge,
        ownership: OwnershipRequirement? = nil, eventWindow: Duration = .milliseconds(250), logger: Logger? = nil
    ) {
        let logger = logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        self.store = store
        identity = stored.identity
        loop = MultiThreadedEventLoopGroup.singleton.next()
        executor = EventLoopExecutor(loop)
        scheduler = ManualScheduler(loop)
        server = AccessoryServer(
            executor: executor, scheduler: scheduler, store: store, stored: stored, profile: profile,
            ownership: ownership, eventWindow: eventWindow, logger: logger)
        self.stored = stored
        self.profile = profile
    }

    /// Adds accessory 1 and starts serving.
    ///
    /// The `showing` closure adds the other accessories that exist from the start.
    package func start(
        functions: [AccessoryFunction] = [], source: (any AccessorySource)? = nil,
        showing: () async throws -> Void = {}
    ) async throws {
        let primary = try PrimaryAccessory(profile.information, functions: functions, ids: stored.instanceIDs)
        if primary.ids != stored.instanceIDs { try await store.save(instanceIDs: primary.ids) }
        try await server.set(primary.accessory, source: source, isReachable: true)
        try await showing()
        await server.reconcileStructure()
        await server.start()
        await scheduler.drain()
    }

    /// Creates another server, with its own accessory 1 and store, on the same clock.
    func another(_ number: Int) async throws -> AccessoryServer {
        let stored = StoredServer.random()
        let server = AccessoryServer(
            executor: executor, scheduler: scheduler, store: InMemoryAccessoryServerStore(stored), stored: stored,
            profile: profile, eventWindow: .milliseconds(250),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await server.set(
            PrimaryAccessory(profile.information, ids: stored.instanceIDs).accessory, source: nil, isReachable: true)
        return server
    }

    // MARK: Controllers

    /// Opens a connection without encryption.
    package func connect(
        _ identity: ControllerIdentity = .random(), from address: PeerAddress = .none
    ) async -> (TestController, InMemoryLink) {
        let controller = TestController(identity, executor: executor)
        let link = await InMemoryLink(controller, to: server, id: nextConnection(), from: address, executor: executor)
        return (controller, link)
    }

    func nextConnection() -> ConnectionID {
        ConnectionID(
            lastConnection.withLock { last in
                last += 1
                return last
            })
    }

    /// Opens a session for a paired controller.
    ///
    /// - Throws: ``Refused`` if pair verify fails.
    package func session(
        _ identity: ControllerIdentity, from address: PeerAddress = .none
    ) async throws -> TestController {
        let (controller, _) = await connect(identity, from: address)
        if let failure = try await controller.pairVerify(self.identity) { throw Refused(failure: failure) }
        return controller
    }

    /// An error that is thrown if pair verify fails.
    package struct Refused: Error {
        package let failure: PairVerifyController.Failure
    }

    package func value(_ id: CharacteristicID) async -> CharacteristicValue? { await server.reading(id)?.value }
}
