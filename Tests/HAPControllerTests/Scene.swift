import AsyncKit
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Testing

private let database = #"""
    {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]},{"iid":7,"type":"43",
    "characteristics":[{"iid":8,"type":"25","format":"bool","perms":["pr","pw","ev"],"value":false},
    {"iid":9,"type":"8","format":"int","perms":["pr","pw","ev"],"value":5},
    {"iid":10,"type":"1E","format":"uint8","perms":["pr","pw","tw"],"value":0},
    {"iid":11,"type":"143","format":"tlv8","perms":["pr","pw","wr"],"value":""},
    {"iid":12,"type":"73","format":"uint8","perms":["pr","ev"],"value":null}]}]}]}
    """#

/// A misbehaving accessory that the controller is paired with, and the link to it.
struct Scene {
    static let on = CharacteristicID(AccessoryID(1), InstanceID(8))
    static let brightness = CharacteristicID(AccessoryID(1), InstanceID(9))
    static let lock = CharacteristicID(AccessoryID(1), InstanceID(10))
    static let control = CharacteristicID(AccessoryID(1), InstanceID(11))
    static let button = CharacteristicID(AccessoryID(1), InstanceID(12))

    let dialer = InMemoryDialer()
    let accessory: ScriptedAccessory
    let link: AccessoryLink
    let found: AdvertisedAccessory

    /// The accessory's database, unless the script returns a different one.
    static var consistsOf: AccessoryDatabase {
        get throws { try AccessoryDatabase(parsing: Array(database.utf8)) }
    }

    /// Creates the accessory and the link.
    ///
    /// - Parameters:
    ///   - timing: The time limits and pauses of the link.
    ///   - isKnown: Whether the link has the database from before a restart.
    ///   - isPaired: Whether the accessory has a pairing with the controller.
    ///   - isForUnpairing: Whether the link only removes its pairing.
    ///   - clock: The clock of the link.
    ///   - script: A closure that returns the reaction to a request; `nil` for the correct response.
    /// - Throws: An error if the keys or the database can't be created.
    init(
        _ timing: ControllerTiming = testTiming, isKnown: Bool = false, isPaired: Bool = true,
        isForUnpairing: Bool = false, clock: any MonotonicClock = ContinuousClock(),
        _ script: @escaping @Sendable (HTTPRequest, Int) -> ScriptedAccessory.Reaction? = { _, _ in nil }
    ) throws {
        let us = ControllerIdentity.random()
        let identity = AccessoryIdentity(
            deviceID: try #require(DeviceID(octets: [1, 2, 3, 4, 5, 6])),
            longTermKey: try Ed25519KeyPair(seed: .random(count: 32)))
        accessory = ScriptedAccessory(identity, pairedWith: isPaired ? [us.pairing()] : []) { request, count in
            if let reaction = script(request, count) { return reaction }
            switch (request.method, request.path) {
            case (.get, "/accessories"): return .answer(.json(database))
            case (.get, _):
                let entries = (ReadRequest(query: request.query)?.ids ?? []).map {
                    let value = $0 == Self.on ? "false" : $0 == Self.control ? #""""# : "5"
                    return #"{"aid":\#($0.aid),"iid":\#($0.iid),"value":\#(value)}"#
                }
                return .answer(.json(#"{"characteristics":[\#(entries.joined(separator: ","))]}"#))
            default: return .answer(HTTPResponse(204))
            }
        }
        accessory.listen(dialer, at: .test(1))
        found = try .test(identity.deviceID, at: [.test(1)])
        let pairing = AccessoryPairing(
            deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey)
        link = AccessoryLink(
            pairing, as: us, dialer: dialer, database: isKnown ? (try Self.consistsOf, configurationNumber: 1) : nil,
            timing: timing, isForUnpairing: isForUnpairing, clock: clock, logger: quietLogger)
    }

    func run<Result>(_ body: (EventRecorder) async throws -> Result) async throws -> Result {
        try await running(link) { events in
            await link.appeared(found)
            return try await body(events)
        }
    }

    var bodies: [String] { accessory.requests.map { "\($0.path) " + String(decoding: $0.body, as: UTF8.self) } }
}
