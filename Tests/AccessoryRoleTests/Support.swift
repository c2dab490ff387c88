import AccessoryRole
import HAPCrypto
public import HAPModel
import HAPProtocol
import HAPTesting
import Logging

/// A bridge with a fan and a lock, a paired admin, and a store that the test controls.
struct House {
    let admin: ControllerIdentity
    let store: InMemoryAccessoryServerStore
    let bridge: ServerUnderTest
    /// The source that implements the fan and the lock.
    let devices = ScriptedAccessorySource()

    init() async throws {
        let admin = ControllerIdentity.random()
        try await self.init(InMemoryAccessoryServerStore(.random(pairedWith: [admin])), admin: admin)
    }

    init(
        _ store: InMemoryAccessoryServerStore, admin: ControllerIdentity, ownership: OwnershipRequirement? = nil,
        logger: Logger? = nil
    ) async throws {
        self.admin = admin
        self.store = store
        bridge = ServerUnderTest(store, stored: store.stored, ownership: ownership, logger: logger)
        try await bridge.start { [bridge, devices] in
            for device in [AccessoryObject.fan, .lock] {
                try await bridge.server.set(device, source: devices, isReachable: true)
            }
        }
    }

    /// Opens a new session for the admin.
    func session() async throws -> TestController { try await bridge.session(admin) }

    func advance(_ duration: Duration) async { await bridge.scheduler.advance(by: duration) }
    func drain() async { await bridge.scheduler.drain() }
    func drain(until isMet: () async -> Bool) async throws { try await bridge.scheduler.drain(until: isMet) }

    /// Returns the value that `GET` returns for a characteristic.
    func value(_ aid: UInt64, _ iid: UInt64) async -> CharacteristicValue? {
        await bridge.value(CharacteristicID(AccessoryID(aid), InstanceID(iid)))
    }

    /// Reports a state of the fan.
    func report(on: Bool? = nil, speed: Int? = nil) async {
        var values: [(InstanceID, CharacteristicValue)] = []
        if let on { values.append((9, .bool(on))) }
        if let speed { values.append((10, .float(Double(speed)))) }
        await bridge.server.update(2, values)
        await drain()
    }

    /// Completes the oldest waiting write.
    func answer(_ status: HAPStatus = .success) async { await devices.answer(status, on: bridge.scheduler) }
}

extension TestController {
    /// Runs pair setup and returns whether the controller is paired.
    func pairs(_ code: SetupCode, ownershipToken: [UInt8]? = nil) async throws -> Bool {
        if case .paired = try await pairSetup(code, ownershipToken: ownershipToken) { true } else { false }
    }
}

extension AccessoryID: ExpressibleByIntegerLiteral {
    /// Creates an id from a number.
    public init(integerLiteral value: UInt64) { self.init(value) }
}

extension InstanceID: ExpressibleByIntegerLiteral {
    /// Creates an id from a number.
    public init(integerLiteral value: UInt64) { self.init(value) }
}
