import BoundedJSON
import HAPModel
import TerminalKit
import Testing

@testable import PairingFiles

@Suite("HomebridgeStorage")
struct HomebridgeStorageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            [
                "bridge": ["name": "Homebridge 42", "username": "0E:3C:C8:AD:E1:11", "pin": "031-45-154"],
                "platforms": [
                    ["platform": "config", "name": "Config"],
                    ["platform": "Lamps", "name": "My Lamps", "_bridge": ["username": "0E:3C:C8:AD:E1:22"]],
                ],
                "accessories": [],
            ], to: "config.json")
        try folder.write(Self.info, to: "persist/AccessoryInfo.0E3CC8ADE111.json")
        try folder.write(Self.info, to: "persist/AccessoryInfo.0E3CC8ADE122.json")
        try folder.write(["category": 17, "displayName": "Camera"], to: "persist/AccessoryInfo.0E3CC8ADE133.json")
        try folder.write(
            [
                "cache": [
                    "|nextAID": 9, "9f1c2f0a-0000-4000-8000-000000000001": 2, "9f1c2f0a-0000-4000-8000-000000000002": 3,
                    "9f1c2f0a-0000-4000-8000-000000000001|nextIID": 900,
                    "9f1c2f0a-0000-4000-8000-000000000001|00000043-0000-1000-8000-0026BB765291": 8,
                ]
            ], to: "persist/IdentifierCache.0E3CC8ADE111.json")
        try folder.write([], to: "accessories/cachedAccessories")
    }

    private static let info: JSONValue = [
        "displayName": "Homebridge 42 ABCD", "category": 2, "pincode": "031-45-154",
        "signSk": .string(String(repeating: "03", count: 32) + String(repeating: "04", count: 32)), "signPk": key("04"),
        "pairedClients": ["4A0B-PHONE": key("01"), "4A0B-GUEST": key("02")],
        "pairedClientsPermission": ["4A0B-PHONE": 1, "4A0B-GUEST": 0], "configVersion": 12, "configHash": "x",
        "setupID": "AB12", "lastFirmwareVersion": "0.11.1",
    ]

    @Test("reads the main bridge and the child bridges, but no separate accessories")
    func bridges() throws {
        let bridges = try HomebridgeStorage(folder.path).bridges()
        #expect(bridges.map(\.label) == ["\"Homebridge 42\" (0E:3C:C8:AD:E1:11)", "\"My Lamps\" (0E:3C:C8:AD:E1:22)"])
        #expect(bridges.map(\.accessories) == [2, 0])
        let expected = BridgeIdentity(
            deviceID: "0E:3C:C8:AD:E1:11", seed: bytes(3), publicKey: bytes(4), setupCode: "031-45-154",
            setupID: "AB12", configurationNumber: 12,
            controllers: [
                .init(id: Array("4A0B-PHONE".utf8), publicKey: bytes(1), isAdmin: true),
                .init(id: Array("4A0B-GUEST".utf8), publicKey: bytes(2), isAdmin: false),
            ], highestAID: 8)
        #expect(try bridges[0].identity.get() == expected)
    }

    @Test("treats controllers without a permission as admins, as Homebridge does")
    func older() throws {
        var info = try #require(Self.info.object)
        info["pairedClientsPermission"] = nil
        try folder.write(.object(info), to: "persist/AccessoryInfo.0E3CC8ADE111.json")
        let controllers = try HomebridgeStorage(folder.path).bridges()[0].identity.get().controllers
        #expect(controllers.map(\.isAdmin) == [true, true])
    }

    @Test(
        "lists a bridge with a damaged identity, and the reason",
        arguments: [
            ("signSk", .string(String(repeating: "03", count: 64))), ("signPk", "04"), ("pairedClients", nil),
            ("configVersion", 70_000),
        ] as [(String, JSONValue?)])
    func damaged(key: String, value: JSONValue?) throws {
        var info = try #require(Self.info.object)
        info[key] = value
        try folder.write(.object(info), to: "persist/AccessoryInfo.0E3CC8ADE122.json")
        let bridge = try HomebridgeStorage(folder.path).bridges()[1]
        guard case .failure(let error) = bridge.identity else {
            Issue.record("it is accepted")
            return
        }
        let file = "\(folder.path)/persist/AccessoryInfo.0E3CC8ADE122.json"
        #expect(error.message == "\(file) has no valid value for \"\(key)\"")
        #expect(bridge.label == "\"My Lamps\" (0E:3C:C8:AD:E1:22)")
    }

    @Test("chooses a bridge by name or device ID, and lists them if none or several match")
    func choice() throws {
        let bridges = try HomebridgeStorage(folder.path).bridges()
        for wanted in ["My Lamps", "0e:3c:c8:ad:e1:22"] {
            #expect(try ForeignBridge.choose(wanted, from: bridges).name == "My Lamps")
        }
        #expect(try ForeignBridge.choose(nil, from: [bridges[0]]).name == "Homebridge 42")
        for wanted in [nil, "Lamps"] {
            #expect { try ForeignBridge.choose(wanted, from: bridges) } throws: { error in
                let message = (error as? TerminalError)?.message ?? ""
                return message.contains("Homebridge 42") && message.contains("0E:3C:C8:AD:E1:22")
            }
        }
        #expect { try ForeignBridge.choose(nil, from: []) } throws: { ($0 as? TerminalError)?.code == 66 }
    }
}
