package import HAPAccessory
package import HAPModel
package import HAPProtocol
internal import HAPTransport
package import LightKit
package import Logging
package import NIOCore
internal import NIOPosix
internal import Synchronization

/// The true accessory role on a clock and a store of the test's own: registry, lights and server, as the daemon wires
/// them.
package final class BridgeUnderTest: Sendable {
    /// The id of the driver whose lights are shown.
    package static let driverID = "test"

    package let loop: any EventLoop
    package let executor: any SerialExecutor
    package let scheduler: ManualScheduler
    package let identity: AccessoryIdentity
    package let registry: AccessoryRegistry
    package let lights: LightBridge
    package let server: AccessoryServer
    package let driver = ScriptedLightDriver()
    private let lastConnection = Mutex<UInt64>(0)

    package var host: any LightHost { lights.host(for: Self.driverID) }

    /// Starts a bridge on a store in memory.
    ///
    /// - Parameters:
    ///   - store: what is remembered of the last run.
    ///   - lights: what the driver brings, all reachable.
    ///   - ownership: what controllers must show besides the setup code.
    /// - Throws: what the store throws.
    package convenience init(
        _ store: InMemoryAccessoryServerStore, lights: [LightDescription] = [], ownership: OwnershipRequirement? = nil
    ) async throws {
        try await self.init(store, stored: store.stored, ownership: ownership, lights: lights)
    }

    /// Starts a bridge.
    ///
    /// - Parameters:
    ///   - store: where changes are kept.
    ///   - stored: what was kept of the last run.
    ///   - ownership: what controllers must show besides the setup code.
    ///   - descriptions: what the driver brings, all reachable.
    ///   - overrides: what the operator wants otherwise.
    ///   - eventWindow: for how long later changes are collected.
    ///   - firmware: the program's version.
    ///   - logger: where the bridge logs; `nil` for nowhere.
    /// - Throws: what the store throws.
    package init(
        _ store: any AccessoryServerStore, stored: StoredServer, ownership: OwnershipRequirement? = nil,
        lights descriptions: [LightDescription] = [],
        overrides: [LightKey: LightOverride] = [:], eventWindow: Duration = .milliseconds(250),
        firmware: String = "1.0",
        logger: Logger? = nil
    ) async throws {
        let logger = logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        identity = stored.identity
        loop = MultiThreadedEventLoopGroup.singleton.next()
        executor = EventLoopExecutor(loop)
        scheduler = ManualScheduler(loop)
        registry = AccessoryRegistry(
            executor: executor, scheduler: scheduler, store: store, configuration: stored.configuration,
            firmware: firmware, logger: logger)
        lights = LightBridge(
            executor: executor, scheduler: scheduler, registry: registry, store: store, overrides: overrides,
            logger: logger)
        server = AccessoryServer(
            executor: executor, scheduler: scheduler, registry: registry, store: store, stored: stored,
            ownership: ownership, eventWindow: eventWindow, logger: logger)
        let bridge = BridgeAccessory(
            name: "Bridge", serialNumber: "0001", firmware: firmware, ids: stored.bridgeInstanceIDs)
        if bridge.ids != stored.bridgeInstanceIDs { try await store.save(bridgeInstanceIDs: bridge.ids) }
        try await registry.set(bridge.accessory, source: nil, isReachable: true)
        await lights.restore(stored.lights)
        await registry.settleStructure()
        await server.start()
        await lights.attach(driver, as: Self.driverID)
        driver.use(host)
        for description in descriptions {
            await host.added(description)
            await host.report(LightReport(reachable: true), from: description.id)
        }
        await registry.settleStructure()
        await scheduler.settle()
    }

    // MARK: Controllers

    /// A new connection, in clear.
    ///
    /// - Parameters:
    ///   - identity: who connects.
    ///   - address: from where.
    /// - Returns: the controller, and its connection.
    package func connect(
        _ identity: ControllerIdentity = .random(), from address: PeerAddress = .none
    ) async -> (TestController, InMemoryLink) {
        let controller = TestController(identity, executor: executor)
        let link = await InMemoryLink(controller, to: server, id: nextConnection(), from: address, executor: executor)
        return (controller, link)
    }

    /// A number for a connection.
    func nextConnection() -> ConnectionID {
        ConnectionID(
            lastConnection.withLock { last in
                last += 1
                return last
            })
    }

    /// A new session.
    ///
    /// - Parameters:
    ///   - identity: who connects; it must be paired.
    ///   - address: from where.
    /// - Returns: the controller.
    /// - Throws: ``Refused`` if pair verify fails.
    package func session(
        _ identity: ControllerIdentity, from address: PeerAddress = .none
    ) async throws -> TestController {
        let (controller, _) = await connect(identity, from: address)
        if let failure = try await controller.pairVerify(self.identity) { throw Refused(failure: failure) }
        return controller
    }

    /// Pair verify has failed.
    package struct Refused: Error {
        package let failure: PairVerifyController.Failure
    }

    // MARK: Places

    /// The aid of a light.
    package func aid(_ light: LightID) async -> AccessoryID? {
        let key = LightKey(driver: Self.driverID, light: light)
        return await lights.snapshots().first { $0.key == key }?.aid
    }

    /// Where a characteristic is, as `aid.iid`.
    package func place(_ type: CharacteristicType, of light: LightID) async -> CharacteristicID? {
        guard let aid = await aid(light) else { return nil }
        let accessory = await registry.accessories.first { $0.aid == aid }
        return accessory?.services.flatMap(\.characteristics).first { $0.type == type }
            .map { CharacteristicID(aid, $0.iid) }
    }

    /// What controllers read.
    package func value(_ id: CharacteristicID) async -> CharacteristicValue? { await registry.reading(id)?.value }
}
