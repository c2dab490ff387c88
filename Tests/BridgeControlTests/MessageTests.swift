import BoundedJSON
import BridgeControl
import Testing

@Suite("BridgeMessage")
struct MessageTests {
    @Test("separates warnings about drivers and lights from other warnings")
    func lightWarnings() throws {
        let desk = BridgeWarning(.lights, "dim", about: .init(driver: "home", light: "home/desk"))
        var status = example
        status = BridgeStatus(
            name: status.name, deviceID: status.deviceID, since: status.since, port: 1, configurationNumber: 1,
            paired: false, controllers: 0, advertisement: status.advertisement, drivers: [], lights: status.lights,
            warnings: [BridgeWarning(.storage, "full"), desk, BridgeWarning(.nameTaken, "taken")])
        #expect(status.lightWarnings == [desk])
        var json = try #require(status.json.object)
        json["warningSubjects"] = nil
        #expect(try BridgeStatus(json: .object(json)).lightWarnings == [BridgeWarning(.lights, "dim")])
    }

    @Test("decodes a status without codes, as the first version of the daemon sends it")
    func formerStatus() throws {
        let status = try BridgeStatus(
            json: JSONValue(
                parsing: #"{"name":"N","deviceId":"AA:BB:CC:DD:EE:FF","since":"s","port":1,"configurationNumber":3,"#
                    + #""paired":false,"controllers":0,"advertisement":{"state":"waiting","name":"N EEFF"},"#
                    + #""drivers":[{"id":"a","driver":"mqtt","state":"running"},"#
                    + #"{"id":"b","driver":"mqtt","state":"degraded: no broker"}],"#
                    + #""lights":{"count":0,"reachable":0},"warnings":["not advertised: no Avahi"]}"#))
        #expect(status.warnings == ["not advertised: no Avahi"])
        #expect(status.warningCodes == nil && status.warningSubjects == nil && status.lightWarnings == [])
        #expect(status.advertisement == .init(state: .waiting, name: "N EEFF"))
        #expect(status.drivers.map(\.isWell) == [true, false])
    }

    @Test("reports the path of a value with the wrong type, but not the value")
    func path() throws {
        let json = try JSONValue(
            parsing: #"[{"key":"k","name":"n","kind":"light","aid":1,"driver":"d","reachable":true},{"key":5}]"#)
        #expect(throws: BridgeControlError(code: 76, message: "the key \"[1].key\" has a value of the wrong type")) {
            try [LightListing](json: json)
        }
    }

    @Test(
        "rejects a message without a key or with a wrong type",
        arguments: [
            (JSONValue.null, "the message has the wrong type"),
            (["code": 1], "the key \"code\" has a value of the wrong type"),
            (["code": "c", "payload": "p"], "the key \"paired\" is missing"),
        ] as [(JSONValue, String)])
    func refuses(json: JSONValue, message: String) {
        #expect(throws: BridgeControlError(code: 76, message: message)) { try SetupListing(json: json) }
    }
}

let example = BridgeStatus(
    name: "Lamplighter", deviceID: "AA:BB:CC:DD:EE:FF", since: "2026-11-21T10:00:00.000Z", port: 51826,
    configurationNumber: 3, paired: true,
    controllers: 2, advertisement: .init(state: .published, name: "Lamplighter EEFF"),
    drivers: [.init(id: "home", driver: "mqtt", code: .running)], lights: .init(count: 4, reachable: 3),
    warnings: [
        BridgeWarning(.lights, "no broker", about: .init(driver: "home")),
        BridgeWarning(.lights, "dim", about: .init(driver: "home", light: "home/a")),
    ])
