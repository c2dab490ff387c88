import HAPAccessory
import HAPCrypto
public import HAPModel
import HAPProtocol
import HAPTesting
import LightKit
import Synchronization
import Testing

extension LightDescription {
    /// A lamp that can do everything: aid 2 if it is the first; On 9, Brightness 10, Hue 11, Saturation 12, colour
    /// temperature 13.
    static let lamp = LightDescription(
        id: "lamp", name: "Lamp",
        capabilities: LightCapabilities(brightness: true, color: true, temperature: 153...500), manufacturer: "Example",
        model: "One", serialNumber: "4711", firmware: "1.2")

    /// A lamp that can be switched: aid 3 beside ``lamp``; On 9.
    static let plain = LightDescription(id: "plain", name: "Plain")
}

/// A bridge that one admin is paired with, on a store that the test holds.
struct House {
    let admin: ControllerIdentity
    let store: InMemoryAccessoryServerStore
    let bridge: BridgeUnderTest

    init(_ lights: [LightDescription] = [.lamp, .plain]) async throws {
        admin = .random()
        store = InMemoryAccessoryServerStore(.random(pairedWith: [admin]))
        bridge = try await BridgeUnderTest(store, lights: lights)
    }

    /// A new session of the admin.
    func session() async throws -> TestController { try await bridge.session(admin) }

    func advance(_ duration: Duration) async { await bridge.scheduler.advance(by: duration) }
    func settle() async { await bridge.scheduler.settle() }
    func settle(until isMet: () async -> Bool) async throws { try await bridge.scheduler.settle(until: isMet) }

    /// What `GET` says of a characteristic of the lamp.
    func value(_ aid: UInt64, _ iid: UInt64) async -> CharacteristicValue? {
        await bridge.value(CharacteristicID(AccessoryID(aid), InstanceID(iid)))
    }

    func report(_ report: LightReport, _ light: LightID = "lamp") async {
        await bridge.host.report(report, from: light)
        await settle()
    }
}

/// What stands behind ``Accessory/gadget``: it takes writes as the test says.
final class GadgetSource: AccessorySource {
    private struct State {
        var status = HAPStatus.success
        var written: [CharacteristicWrite] = []
        var isWaiting = false
        var waiting: [@Sendable (HAPStatus) -> Void] = []
    }

    private let state = Mutex(State())

    var written: [CharacteristicWrite] { state.withLock(\.written) }

    func setStatus(_ status: HAPStatus) { state.withLock { $0.status = status } }

    func setWaits() { state.withLock { $0.isWaiting = true } }

    /// Answers the oldest write.
    func answer(_ status: HAPStatus, in house: House) async {
        guard let then = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return }
        house.bridge.scheduler.schedule(at: house.bridge.scheduler.now) { then(status) }
        await house.settle()
    }

    func write(
        _ values: [CharacteristicWrite], to accessory: AccessoryID, then: @escaping @Sendable (HAPStatus) -> Void
    ) {
        let status = state.withLock { state -> HAPStatus? in
            state.written += values
            if state.isWaiting { state.waiting.append(then) }
            return state.isWaiting ? nil : state.status
        }
        if let status { then(status) }
    }

    func identify(_ accessory: AccessoryID) {}
}

extension Accessory {
    /// An accessory of no light, with one characteristic for each rule: aid 100, its service 10.
    static let gadget = Accessory(
        aid: 100,
        services: [
            AccessoryInformation(
                name: "Gadget", manufacturer: nil, model: nil, serialNumber: nil, firmware: nil
            ).service(ids: informationIDs),
            Service(
                iid: 10, type: ServiceType(custom(0x10)),
                characteristics: [
                    part(11, .uint8, [.pairedRead, .pairedWrite, .notify, .timedWrite], .integer(0)),
                    part(12, .tlv8, [.pairedRead, .pairedWrite, .writeResponse], .data([])),
                    part(13, .bool, [.pairedRead, .notify], .bool(false)),
                    part(14, .bool, [.pairedRead, .pairedWrite], .bool(false)),
                    part(15, .uint8, [.pairedRead, .pairedWrite, .notify], .integer(0)) { $0.validValues = [0, 1, 3] },
                    part(16, .string, [.pairedRead, .pairedWrite, .notify], .string("")) { $0.maximumLength = 8 },
                    part(17, .float, [.pairedRead, .pairedWrite, .notify], .float(0)) {
                        $0.minimum = -10
                        $0.maximum = 10
                        $0.step = 0.5
                    },
                    part(18, .data, [.pairedRead, .pairedWrite], .data([])) { $0.maximumDataLength = 4 },
                    part(19, .bool, [.pairedWrite], nil),
                ]),
        ])

    private static var informationIDs: InstanceIDs {
        var ids = InstanceIDs()
        _ = ids.id(of: .accessoryInformation)
        return ids
    }

    private static func custom(_ number: UInt64) -> HAPType {
        let digits = String(number, radix: 16, uppercase: true)
        let text = "00000000-1111-2222-3333-" + String(repeating: "0", count: 12 - digits.count) + digits
        guard let type = HAPType(text) else { preconditionFailure("32 digits make a type") }
        return type
    }

    private static func part(
        _ iid: InstanceID, _ format: CharacteristicFormat, _ permissions: CharacteristicPermissions,
        _ value: CharacteristicValue?, _ limit: (inout CharacteristicMetadata) -> Void = { _ in }
    ) -> Characteristic {
        var metadata = CharacteristicMetadata(format: format, permissions: permissions)
        limit(&metadata)
        return Characteristic(
            iid: iid, type: CharacteristicType(custom(iid.rawValue)), metadata: metadata, value: value)
    }
}

extension AccessoryID: ExpressibleByIntegerLiteral {
    /// Makes an id of its number.
    public init(integerLiteral value: UInt64) { self.init(value) }
}

extension InstanceID: ExpressibleByIntegerLiteral {
    /// Makes an id of its number.
    public init(integerLiteral value: UInt64) { self.init(value) }
}
