import BoundedJSON
import BridgeControl
import Testing

@Suite("The keys that --json prints")
struct MessageTests {
    @Test("a light shows what it has and leaves out what it lacks")
    func light() throws {
        let lamp = LightListing(
            key: "simulated/reading", name: "Reading Lamp", kind: "light", aid: 2, driver: "simulated",
            reachable: true,
            state: LightChange(on: true, brightness: 40, hue: 30, saturation: 80.5, temperature: 250))
        #expect(
            lamp.json.text
                == #"{"key":"simulated/reading","name":"Reading Lamp","kind":"light","aid":2,"driver":"simulated","#
                + #""reachable":true,"on":true,"brightness":40,"hue":30,"saturation":80.5,"temperature":250}"#)
        let outlet = LightListing(
            key: "a/b", name: "B", kind: "outlet", aid: .max, driver: "a", reachable: false,
            state: LightChange(on: false))
        #expect(
            outlet.json.text
                == #"{"key":"a/b","name":"B","kind":"outlet","aid":18446744073709551615,"driver":"a","#
                + #""reachable":false,"on":false}"#)
        #expect(try LightListing(json: lamp.json).json == lamp.json)
        #expect(try LightListing(json: outlet.json).aid == .max)
    }

    @Test("status has the keys of the manual")
    func status() throws {
        let status = example
        #expect(
            status.json.text
                == #"{"name":"Lamplighter","deviceId":"AA:BB:CC:DD:EE:FF","#
                + #""since":"2026-11-21T10:00:00.000Z","port":51826,"configurationNumber":3,"#
                + #""paired":true,"controllers":2,"advertisement":{"state":"published","name":"Lamplighter EEFF"},"#
                + #""drivers":[{"id":"home","driver":"mqtt","state":"running","code":"running"}],"lights":{"count":4,"reachable":3},"#
                + #""warnings":["no broker","dim"],"warningCodes":["lights","lights"],"#
                + #""warningSubjects":[{"driver":"home"},{"driver":"home","light":"home/a"}]}"#)
        #expect(try BridgeStatus(json: status.json) == status)
    }

    @Test("warnings about drivers and lights are told apart from others, with what each is about")
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

    @Test("diagnostics come across whole")
    func diagnostics() throws {
        var diagnostics = BridgeDiagnostics(
            version: "1", process: 12, isToBeAdvertised: true, wantedName: "Lamplighter EEFF",
            discoveryError: "no Avahi",
            interfaces: ["eth0", "wlan0"], txt: ["sf": "1", "c#": "3"], pairings: 2, refusedSetups: 0,
            failedAttempts: 7,
            attemptsAllowed: 100, clockStep: -3, storage: .init(directory: "/d", problem: "full", freeBytes: 0))
        #expect(try BridgeDiagnostics(json: diagnostics.json) == diagnostics)
        diagnostics.discoveryError = nil
        diagnostics.storage.problem = nil
        #expect(try BridgeDiagnostics(json: diagnostics.json) == diagnostics)
    }

    @Test("setup, pairings and events have the keys of the manual")
    func others() throws {
        let setup = SetupListing(code: "031-45-154", payload: "X-HM://0023ISYWY1QJ8", paired: false)
        #expect(setup.json.text == #"{"code":"031-45-154","payload":"X-HM://0023ISYWY1QJ8","paired":false}"#)
        #expect(try SetupListing(json: setup.json) == setup)
        let pairing = PairingListing(id: "x", admin: true, connected: false)
        #expect([pairing].json.text == #"[{"id":"x","admin":true,"connected":false}]"#)
        #expect(try [PairingListing](json: [pairing].json) == [pairing])
        let event = LightEvent(
            time: "2026-11-21T09:00:00Z", key: "a/b", changes: LightChange(on: true, reachable: false),
            origin: "operator")
        #expect(
            event.json.text
                == #"{"time":"2026-11-21T09:00:00Z","key":"a/b","reachable":false,"on":true,"origin":"operator"}"#)
        #expect(try LightEvent(json: event.json) == event)
    }

    @Test("the status of a daemon of the first version is read, and has no codes")
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

    @Test("a message that is wrong deep down is refused with the way there, and without what stands there")
    func path() throws {
        let json = try JSONValue(
            parsing: #"[{"key":"k","name":"n","kind":"light","aid":1,"driver":"d","reachable":true},{"key":5}]"#)
        #expect(throws: BridgeControlError(code: 76, message: "the key \"[1].key\" has a value of the wrong type")) {
            try [LightListing](json: json)
        }
    }

    @Test(
        "a message that lacks a key or has a wrong type is refused",
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
