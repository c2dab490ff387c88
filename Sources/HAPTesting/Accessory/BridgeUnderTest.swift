package import AccessoryRole
package import DeviceBridge
package import DeviceKit
package import HAPModel
package import HAPProtocol
package import Logging
package import NIOCore

/// A bridge with lights that uses a test clock and a test store, assembled as in the daemon.
package final class BridgeUnderTest: Sendable {
    /// The id of the lights' driver.
    package static let driverID = "test"

    package let base: ServerUnderTest
    package let lights: DeviceBridge
    package let driver = ScriptedLightDriver()

    package var loop: any EventLoop { base.loop }
    package var executor: any SerialExecutor { base.executor }
    package var scheduler: ManualScheduler { base.scheduler }
    package var identity: AccessoryIdentity { base.identity }
    package var server: AccessoryServer { base.server }
    package var host: any LightHost { lights.host(for: Self.driverID) }

    /// Starts a bridge with an in-memory store and reachable lights.
    package convenience init(
        _ store: InMemoryAccessoryServerStore, lights: [LightDescription] = [], ownership: OwnershipRequirement? = nil
    ) async throws {
        try await self.init(
            store, stored: store.bridge, ownership: ownership, lights: lights)
    }

    /// Starts a bridge with reachable lights.
    ///
    /// `furtherBridges` is called before an additional bridge is opened, and can prevent the opening by throwing an
    /// error; `nil` allows only one bridge. The default wall clock always shows the same time.
    package init(
        _ store: any AccessoryServerStore & LightStore, stored: StoredBridge, ownership: OwnershipRequirement? = nil,
        lights descriptions: [LightDescription] = [],
        overrides: [LightKey: LightOverride] = [:], kinds: Set<LightKind> = Set(LightKind.allCases),
        eventWindow: Duration = .milliseconds(250),
        firmware: String = "1.0",
        furtherBridges: (@Sendable (Int) throws -> Void)? = nil, wallClock: (@Sendable () -> Duration)? = nil,
        logger: Logger? = nil
    ) async throws {
        base = ServerUnderTest(
            store, stored: stored.server,
            profile: .deviceBridge(name: "Bridge", serialNumber: "0001", firmware: firmware), ownership: ownership,
            eventWindow: eventWindow, logger: logger)
        var servers = [1: base.server]
        for number in stored.lights.map(\.bridge) where servers[number] == nil {
            servers[number] = try await base.another(number)
        }
        let open = furtherBridges.map { [base] permit -> BridgeOpener in
            { number in
                try permit(number)
                return try await base.another(number)
            }
        }
        lights = DeviceBridge(
            executor: base.executor, scheduler: base.scheduler, servers: servers, open: open, store: store,
            overrides: overrides, kinds: kinds, wallClock: wallClock ?? { .zero },
            logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await base.start { [lights] in await lights.restore(stored) }
        await lights.attach(driver, as: Self.driverID)
        driver.use(host)
        for description in descriptions {
            await host.added(description)
            await host.report(LightReport(reachable: true), from: description.id)
        }
        await server.reconcileStructure()
        await scheduler.drain()
    }

    // MARK: Controllers

    /// Opens a connection without encryption.
    package func connect(
        _ identity: ControllerIdentity = .random(), from address: PeerAddress = .none
    ) async -> (TestController, InMemoryLink) {
        await base.connect(identity, from: address)
    }

    func nextConnection() -> ConnectionID { base.nextConnection() }

    /// Opens a session for a paired controller.
    ///
    /// - Throws: `ServerUnderTest.Refused` if pair verify fails.
    package func session(
        _ identity: ControllerIdentity, from address: PeerAddress = .none
    ) async throws -> TestController {
        try await base.session(identity, from: address)
    }

    // MARK: Places

    package func aid(_ light: LightID) async -> AccessoryID? {
        let key = LightKey(driver: Self.driverID, light: light)
        return await lights.snapshots().first { $0.key == key }?.aid
    }

    /// Returns the id of a light's characteristic, `aid.iid`.
    package func place(_ type: CharacteristicType, of light: LightID) async -> CharacteristicID? {
        guard let aid = await aid(light) else { return nil }
        let accessory = await server.accessories.first { $0.aid == aid }
        return accessory?.services.flatMap(\.characteristics).first { $0.type == type }
            .map { CharacteristicID(aid, $0.iid) }
    }

    package func value(_ id: CharacteristicID) async -> CharacteristicValue? { await base.value(id) }
}

extension BridgeUnderTest {
    /// Returns a listener that connects to this bridge.
    ///
    /// `onConnect` receives each connection, so that a test can close the connection.
    package func listener(
        onConnect: @escaping @Sendable (InMemoryByteConnection) -> Void = { _ in }
    ) -> InMemoryDialer.Listener {
        { [self] in
            let connection = InMemoryByteConnection.connect(
                to: server, as: nextConnection(), on: loop, executor: executor)
            onConnect(connection)
            return connection
        }
    }
}
