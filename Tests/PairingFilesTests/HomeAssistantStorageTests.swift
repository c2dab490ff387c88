import BoundedJSON
import HAPModel
import TerminalKit
import Testing

@testable import PairingFiles

@Suite("HomeAssistantStorage")
struct HomeAssistantStorageTests {
    private let folder: TemporaryFolder
    private static let phone = "3e2d1c0b-0000-4000-8000-0123456789ab"

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.entries, to: "core.config_entries")
        try folder.write(Self.state, to: "homekit.one.state")
        try folder.write(
            ["version": 1, "key": "homekit.one.aids", "data": ["allocations": ["a": 7, "b": 4_000_000_000]]],
            to: "homekit.one.aids")
    }

    private static let entries: JSONValue = [
        "version": 1,
        "data": [
            "entries": [
                ["entry_id": "one", "domain": "homekit", "title": "House:21064", "data": ["name": "House"]],
                ["entry_id": "camera", "domain": "homekit", "title": "Camera", "options": ["mode": "accessory"]],
                ["entry_id": "sun", "domain": "sun", "title": "Sun"],
                [
                    "entry_id": "lamp", "domain": "homekit_controller", "title": "Lamp",
                    "data": [
                        "AccessoryPairingID": "aa:bb:cc:00:11:22", "AccessoryLTPK": key("0A"), "Connection": "IP",
                        "iOSPairingId": .string(phone), "iOSDeviceLTSK": key("0b"), "iOSDeviceLTPK": key("0c"),
                    ],
                ],
                [
                    "entry_id": "lock", "domain": "homekit_controller", "title": "Lock",
                    "data": ["Connection": "BLE", "AccessoryPairingID": "AA:BB:CC:00:11:23"],
                ],
                ["domain": "homekit_controller", "title": "Sensor", "data": ["Connection": "CoAP"]],
                ["domain": "homekit_controller", "title": "Ignored", "source": "ignore", "data": [:]],
                [
                    "entry_id": "half", "domain": "homekit_controller", "title": "Half",
                    "data": ["AccessoryPairingID": "AA:BB:CC:00:11:24", "AccessoryLTPK": "0A0A"],
                ],
            ]
        ],
    ]

    private static let state: JSONValue = [
        "mac": "AA:BB:CC:DD:EE:FF", "config_version": 9,
        "paired_clients": [phone: key("01"), "3e2d1c0b-0000-4000-8000-0123456789ac": key("02")],
        "client_properties": [phone: ["permissions": 1], "3e2d1c0b-0000-4000-8000-0123456789ac": ["permissions": 0]],
        "client_uuid_to_bytes": [phone: .string(Hex.encode(phone.utf8))],
        "private_key": key("03"), "public_key": key("04"), "accessories_hash": "x",
    ]

    @Test("reads a bridge with its identity, its controllers and the highest accessory id")
    func bridge() throws {
        let bridges = try HomeAssistantStorage(folder.path).bridges()
        let bridge = try #require(bridges.first)
        #expect(bridges.count == 1 && bridge.label == "\"House\" (AA:BB:CC:DD:EE:FF)" && bridge.accessories == 2)
        let expected = BridgeIdentity(
            deviceID: "AA:BB:CC:DD:EE:FF", seed: bytes(3), publicKey: bytes(4), setupCode: nil, setupID: nil,
            configurationNumber: 9,
            controllers: [
                .init(id: Array(Self.phone.utf8), publicKey: bytes(1), isAdmin: true),
                .init(id: Array("3E2D1C0B-0000-4000-8000-0123456789AC".utf8), publicKey: bytes(2), isAdmin: false),
            ], highestAID: 4_000_000_000)
        #expect(try bridge.identity.get() == expected)
        #expect("\(expected)" == "(identity of AA:BB:CC:DD:EE:FF)")
    }

    @Test("treats all controllers as admins if an older version stored no permissions")
    func older() throws {
        var state = try #require(Self.state.object)
        state["client_properties"] = nil
        try folder.write(.object(state), to: "homekit.one.state")
        let controllers = try HomeAssistantStorage(folder.path).bridges()[0].identity.get().controllers
        #expect(controllers.map(\.isAdmin) == [true, true])
    }

    @Test(
        "names the file and the key of an invalid identity, but not the value",
        arguments: [
            ("mac", "aa:bb:cc:dd:ee:ff"), ("private_key", "0303"), ("public_key", nil), ("config_version", "9"),
            ("paired_clients", "none"), ("client_uuid_to_bytes", .object([Self.phone: "xyz"])),
        ] as [(String, JSONValue?)])
    func invalid(key: String, value: JSONValue?) throws {
        var state = try #require(Self.state.object)
        state[key] = value
        try folder.write(.object(state), to: "homekit.one.state")
        #expect(try message() == "\(folder.path)/homekit.one.state has no valid value for \"\(key)\"")
    }

    @Test(
        "rejects a bridge without an admin's pairing",
        arguments: [
            ("paired_clients", [:], "contains no pairing; pair this bridge"),
            ("client_properties", [:], "contains no pairing of an admin"),
        ] as [(String, JSONValue, String)])
    func unpaired(key: String, value: JSONValue, reason: String) throws {
        var state = try #require(Self.state.object)
        state[key] = value
        try folder.write(.object(state), to: "homekit.one.state")
        #expect(try message().contains(reason))
    }

    @Test("rejects files that are missing, damaged, deep or of another version")
    func unreadable() throws {
        try folder.write("{\"mac\": ", to: "homekit.one.state")
        #expect(try message() == "\(folder.path)/homekit.one.state isn't valid JSON at byte 8")
        try folder.write(String(repeating: "[", count: 40), to: "homekit.one.state")
        #expect(try message().hasSuffix("has too many levels"))
        try folder.write(["version": 2], to: "homekit.one.aids")
        #expect(try message().hasSuffix("has version 2 of its format, but only version 1 is known"))
        try folder.write(["version": 2], to: "core.config_entries")
        #expect(throws: TerminalError.self) { try HomeAssistantStorage(folder.path).bridges() }
        #expect { try HomeAssistantStorage("/nowhere").bridges() } throws: { ($0 as? TerminalError)?.code == 66 }
        #expect { try HomeAssistantStorage("/dev/zero/core.config_entries").bridges() } throws: { $0 is TerminalError }
    }

    private func message() throws -> String {
        guard case .failure(let error) = try HomeAssistantStorage(folder.path).bridges()[0].identity else { return "" }
        #expect(error.code == 65)
        return error.message
    }

    @Test("finds the storage in the configuration directory, and by its file")
    func places() throws {
        let configuration = try TemporaryFolder()
        try configuration.write(Self.entries, to: ".storage/core.config_entries")
        for path in [configuration.path, configuration.path + "/.storage", folder.path + "/core.config_entries"] {
            #expect(try HomeAssistantStorage(path).pairings().count == 4, "\(path)")
        }
    }

    @Test("reads pairings with accessories on IP networks, and names the reason for each other entry")
    func pairings() throws {
        let entries = try HomeAssistantStorage(folder.path).pairings()
        #expect(entries.map(\.name) == ["Lamp", "Lock", "Sensor", "Half"])
        let lamp = try entries[0].pairing.get()
        let id = try #require(DeviceID("AA:BB:CC:00:11:22"))
        let expected = ForeignPairing(
            deviceID: id, accessoryKey: bytes(0x0A), controller: Self.phone, seed: bytes(0x0B))
        #expect(lamp == expected && "\(lamp)" == "(pairing with AA:BB:CC:00:11:22)")
        let reasons = entries.dropFirst().map { entry in
            if case .failure(let error) = entry.pairing { error.message } else { "" }
        }
        #expect(reasons[0] == "it's connected by Bluetooth, but the home hub supports only IP networks")
        #expect(reasons[1] == "it's connected by Thread, but the home hub supports only IP networks")
        #expect(reasons[2].hasSuffix("core.config_entries has no valid value for \"AccessoryLTPK\" of \"Half\""))
    }

    @Test("reads the aliases of aiohomekit's file, and rejects other files")
    func aiohomekit() throws {
        try folder.write(
            [
                "lamp": [
                    "AccessoryPairingID": "AA:BB:CC:00:11:22", "AccessoryLTPK": key("0a"), "iOSPairingId": "me",
                    "iOSDeviceLTSK": key("0b"),
                ]
            ], to: "pairing.json")
        let entries = try AiohomekitFile.entries(folder.path + "/pairing.json")
        #expect(try entries.map(\.name) == ["lamp"] && entries[0].pairing.get().controller == "me")
        for text in ["[]", "{\"lamp\": 1}"] {
            try folder.write(text, to: "pairing.json")
            #expect(throws: TerminalError.self) { try AiohomekitFile.entries(folder.path + "/pairing.json") }
        }
    }
}
