import AccessoryRole
import DeviceKit
import HAPCrypto
public import HAPModel
import HAPProtocol
import HAPTesting

@testable import DeviceBridge

extension LightDescription {
    /// A lamp with all capabilities.
    ///
    /// If it is the first light, its aid is 2. The iids are 9 (On), 10 (Brightness), 11 (Hue), 12 (Saturation) and 13
    /// (color temperature).
    static let lamp = LightDescription(
        id: "lamp", name: "Lamp",
        capabilities: LightCapabilities(brightness: true, color: true, temperature: 153...500), manufacturer: "Example",
        model: "One", serialNumber: "4711", firmware: "1.2")

    /// A lamp that can only be switched on and off.
    ///
    /// After ``lamp``, its aid is 3. The iid of On is 9.
    static let plain = LightDescription(id: "plain", name: "Plain")
}

/// A bridge that has an in-memory store and is paired with one admin.
struct House {
    let admin: ControllerIdentity
    let store: InMemoryAccessoryServerStore
    let bridge: BridgeUnderTest

    init(_ lights: [LightDescription] = [.lamp, .plain], overrides: [LightKey: LightOverride] = [:]) async throws {
        admin = .random()
        store = InMemoryAccessoryServerStore(.random(pairedWith: [admin]))
        bridge = try await BridgeUnderTest(store, stored: store.bridge, lights: lights, overrides: overrides)
    }

    /// A new session of the admin.
    func session() async throws -> TestController { try await bridge.session(admin) }

    func advance(_ duration: Duration) async { await bridge.scheduler.advance(by: duration) }
    func drain() async { await bridge.scheduler.drain() }
    func drain(until isMet: () async -> Bool) async throws { try await bridge.scheduler.drain(until: isMet) }

    /// Returns the value of a characteristic.
    func value(_ aid: UInt64, _ iid: UInt64) async -> CharacteristicValue? {
        await bridge.value(CharacteristicID(AccessoryID(aid), InstanceID(iid)))
    }

    func report(_ report: LightReport, _ light: LightID = "lamp") async {
        await bridge.host.report(report, from: light)
        await drain()
    }
}

extension AccessoryID: ExpressibleByIntegerLiteral {
    /// Creates an id from its number.
    public init(integerLiteral value: UInt64) { self.init(value) }
}

extension InstanceID: ExpressibleByIntegerLiteral {
    /// Creates an id from its number.
    public init(integerLiteral value: UInt64) { self.init(value) }
}

extension DeviceState {
    /// Applies a report of a driver for a kind of device.
    mutating func apply(_ report: LightReport, _ kind: LightKind) {
        if let reachable = report.reachable { isReachable = reachable }
        let adapter = AccessoryAdapter(LightDescription(id: "x", name: "X", kind: kind), "X", InstanceIDs())
        apply(adapter.description.canonical(report.values).values, kind.rules)
    }

    mutating func apply(_ command: LightCommand, _ kind: LightKind) { apply(LightReport(command.values), kind) }
}

extension LightSnapshot {
    var hue: Double? { values[.hue] }
    var saturation: Double? { values[.saturation] }
    var mired: Int? { values[.colorTemperature] }
}
