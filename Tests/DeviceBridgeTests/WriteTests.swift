import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("PUT /characteristics", .timeout)
struct WriteTests {
    @Test(
        "answers 400 for an invalid body, and writes nothing",
        arguments: [
            // CharacteristicRequestTests covers all bodies that can't be parsed.
            "{", #"{"characteristics":[]}"#,
            #"{"characteristics":[{"aid":2,"iid":9,"value":true},{"iid":9,"value":true}]}"#,
        ])
    func malformed(body: String) async throws {
        let house = try await House()
        let response = try await house.session().put("/characteristics", body)
        #expect(response.status == 400)
        #expect(response.body.isEmpty)
        #expect(house.bridge.driver.orders.isEmpty)
    }

    @Test("sends a write only to its function if several functions have the same service")
    func functions() async throws {
        let strip = LightDescription(
            id: "strip", name: "Strip", kind: .outlet,
            functions: ["left", "right"].map { AccessoryFunction(.outlet, id: $0, [.on: .bool(false)]) })
        let house = try await House([strip])
        let services = try #require(await house.bridge.server.accessories.last?.services.suffix(2))
        let places = services.compactMap { $0.characteristics.first?.iid }
        let session = try await house.session()
        #expect(try await session.write(#"{"aid":2,"iid":\#(places[1]),"value":true}"#).status == 204)
        var command = LightCommand()
        command.values[Property(.on, of: "right")] = .bool(true)
        #expect(house.bridge.driver.orders == [.init("strip", command)])
        #expect(await house.value(2, places[0].rawValue) == .bool(false))
        #expect(await house.value(2, places[1].rawValue) == .bool(true))
    }

    /// An entry of a request and its status.
    ///
    /// Status 0 means that the response is a 204 without entries.
    struct Row: CustomTestStringConvertible, Sendable {
        let place: String
        let members: String
        let status: Int
        var testDescription: String { "\(place) \(members)" }

        init(_ place: String, _ members: String, _ status: Int) {
            self.place = place
            self.members = members
            self.status = status
        }
    }

    @Test(
        "answers as specified in each row of the entry table of HAP 8.5",
        arguments: [
            Row("2.9", #""value":true"#, 0), Row("2.9", #""value":1"#, 0), Row("2.9", #""value":0"#, 0),
            Row("2.9", #""value":1.0"#, 0), Row("2.9", #""value":2"#, -70410), Row("2.9", #""value":"1""#, -70410),
            Row("2.9", #""value":"true""#, -70410), Row("2.99", #""value":true"#, -70409),
            Row("99.9", #""value":true"#, -70409), Row("99.9", #""ev":true"#, -70409),
            Row("2.8", #""ev":true"#, -70409),
            Row("2.5", #""value":"New""#, -70404), Row("2.5", #""ev":true"#, -70406), Row("2.2", #""value":true"#, 0),
            Row("2.2", #""value":false"#, 0), Row("1.2", #""value":true"#, 0), Row("2.2", #""ev":true"#, -70406),
            Row("2.9", #""ev":true"#, 0), Row("2.9", #""ev":1"#, 0), Row("2.9", #""ev":0"#, 0),
            Row("2.9", #""ev":false"#, 0), Row("2.9", #""ev":2"#, -70410), Row("2.9", #""ev":"yes""#, -70410),
            Row("2.9", #""remote":true"#, -70410), Row("2.9", #""value":null"#, -70410),
            Row("2.9", #""value":[]"#, -70410), Row("2.9", #""value":{}"#, -70410),
            Row("2.9", #""value":null,"ev":true"#, 0), Row("2.9", #""value":true,"unknown":[1]"#, 0),
            Row("2.9", #""value":false,"value":true"#, 0), Row("2.9", #""value":true,"remote":true"#, 0),
            Row("2.9", #""value":true,"authData":"AQI=""#, 0),
            Row("2.9", #""value":true,"authData":"not base64!""#, -70410), Row("2.9", #""value":true,"r":true"#, 0),
            Row("2.10", #""value":50"#, 0), Row("2.10", #""value":50.0"#, 0), Row("2.10", #""value":49.6"#, 0),
            Row("2.10", #""value":5e1"#, 0), Row("2.10", #""value":true"#, 0), Row("2.10", #""value":101"#, -70410),
            Row("2.10", #""value":-1"#, -70410), Row("2.10", #""value":1e300"#, -70410),
            Row("2.10", #""value":"50""#, -70410), Row("2.11", #""value":360"#, 0),
            Row("2.11", #""value":361"#, -70410),
            Row("2.11", #""value":12.25"#, 0), Row("2.13", #""value":152"#, -70410), Row("2.13", #""value":153"#, 0),
            Row("2.13", #""value":501"#, -70410), Row("100.11", #""value":1"#, -70410),
            Row("100.13", #""value":true"#, -70404),
            Row("100.13", #""ev":true"#, 0), Row("100.14", #""ev":true"#, -70406), Row("100.14", #""value":true"#, 0),
            Row("100.15", #""value":3"#, 0), Row("100.15", #""value":2"#, -70410),
            Row("100.15", #""value":0.6"#, -70410),
            Row("100.16", #""value":"12345678""#, 0), Row("100.16", #""value":"123456789""#, -70410),
            Row("100.16", #""value":"üüüüü""#, -70410), Row("100.16", #""value":5"#, -70410),
            Row("100.17", #""value":-10"#, 0), Row("100.17", #""value":10.001"#, -70410),
            Row("100.17", #""value":0.3"#, 0), Row("100.18", #""value":"AQIDBA==""#, 0),
            Row("100.18", #""value":"AQIDBAU=""#, -70410), Row("100.18", #""value":"A Q=""#, -70410),
            Row("100.18", #""value":"""#, 0), Row("100.19", #""value":true"#, 0),
        ])
    func row(_ row: Row) async throws {
        let house = try await House()
        try await house.bridge.server.set(.gadget, source: ScriptedAccessorySource(), isReachable: true)
        let numbers = row.place.split(separator: ".")
        let response = try await house.session().write(
            #"{"aid":\#(numbers[0]),"iid":\#(numbers[1]),\#(row.members)}"#)
        guard row.status != 0 else {
            #expect(response == HTTPResponse(204))
            return
        }
        #expect(response.status == 207)
        #expect(
            response.text
                == #"{"characteristics":[{"aid":\#(numbers[0]),"iid":\#(numbers[1]),"status":\#(row.status)}]}"#)
    }

    @Test("executes all other entries if one entry fails, and returns a status for each entry")
    func partial() async throws {
        let house = try await House()
        await house.report(LightReport(reachable: false), "plain")
        let response = try await house.session().write(
            #"{"aid":2,"iid":9,"value":true},{"aid":2,"iid":10,"value":101},{"aid":3,"iid":9,"value":true},"#
                + #"{"aid":9,"iid":9,"value":true},{"aid":2,"iid":9,"ev":true}"#)
        #expect(response.status == 207)
        #expect(
            response.text == #"{"characteristics":[{"aid":2,"iid":9,"status":0},{"aid":2,"iid":10,"status":-70410},"#
                + #"{"aid":3,"iid":9,"status":-70402},{"aid":9,"iid":9,"status":-70409},{"aid":2,"iid":9,"status":0}]}"#
        )
        #expect(house.bridge.driver.orders == [.init("lamp", LightCommand(on: true))])
    }

    @Test("answers 207 if all entries failed")
    func allFailed() async throws {
        let response = try await House().session().write(
            #"{"aid":9,"iid":9,"value":true},{"aid":2,"iid":5,"value":"x"}"#)
        #expect(response.status == 207)
        #expect(
            response.text
                == #"{"characteristics":[{"aid":9,"iid":9,"status":-70409},{"aid":2,"iid":5,"status":-70404}]}"#)
    }

    @Test(
        "maps a light's error to its status",
        arguments: [
            (LightError.unreachable, -70402), (.busy, -70403), (.unknownLight, -70409), (.refused("no"), -70402),
        ])
    func errors(error: LightError, status: Int) async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .refuses(error))
        let response = try await house.session().write(#"{"aid":2,"iid":9,"value":true}"#)
        #expect(response.text == #"{"characteristics":[{"aid":2,"iid":9,"status":\#(status)}]}"#)
        #expect(await house.value(2, 9) == .bool(false))
    }

    @Test("restores the value if the light refuses a write, without an event")
    func refusedIsUndone() async throws {
        let house = try await House()
        let watcher = try await house.session()
        _ = try await watcher.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
        house.bridge.driver.set("lamp", .refuses(.busy))
        let writer = try await house.session()
        _ = try await writer.write(#"{"aid":2,"iid":9,"value":true},{"aid":2,"iid":10,"value":7}"#)
        #expect(try await watcher.read("id=2.9,2.10").text.contains(#""value":false},{"aid":2,"iid":10,"value":100}"#))
        await house.advance(.seconds(5))
        #expect(await watcher.events.isEmpty)
    }

    @Test("sends the values of an accessory as one command")
    func grouped() async throws {
        let house = try await House()
        let response = try await house.session().write(
            #"{"aid":2,"iid":10,"value":30},{"aid":3,"iid":9,"value":true},{"aid":2,"iid":9,"value":true},"#
                + #"{"aid":2,"iid":12,"value":50},{"aid":2,"iid":11,"value":120}"#)
        #expect(response.status == 204)
        #expect(
            house.bridge.driver.orders == [
                .init(
                    "lamp",
                    LightCommand(on: true, brightness: 30, color: .hueSaturation(hue: 120, saturation: 50))),
                .init("plain", LightCommand(on: true)),
            ])
    }

    @Test("applies `ev` even if the value of the same entry fails")
    func eventsBesideFailure() async throws {
        let session = try await House().session()
        #expect(try await session.write(#"{"aid":2,"iid":10,"value":101,"ev":true}"#).status == 207)
        #expect(try await session.read("id=2.10&ev=1").text.contains(#""ev":true"#))
    }

    @Test("writes a value even if `ev` of the same entry fails")
    func valueBesideFailedEvents() async throws {
        let house = try await House()
        let source = ScriptedAccessorySource()
        try await house.bridge.server.set(.gadget, source: source, isReachable: true)
        let session = try await house.session()
        let response = try await session.write(#"{"aid":100,"iid":14,"value":true,"ev":true}"#)
        #expect(response.text == #"{"characteristics":[{"aid":100,"iid":14,"status":-70406}]}"#)
        #expect(source.written.map(\.value) == [.bool(true)])
        // If the value can't be written either, the response has the status of the value.
        source.setStatus(.busy)
        for others in ["", #",{"aid":2,"iid":9,"value":true}"#] {
            let response = try await session.write(#"{"aid":100,"iid":14,"value":true,"ev":true}"# + others)
            #expect(response.text.hasPrefix(#"{"characteristics":[{"aid":100,"iid":14,"status":-70403}"#))
        }
    }

    @Test("returns the value for `r` with `wr`, and a status for every entry")
    func writeResponse() async throws {
        let house = try await House()
        try await house.bridge.server.set(.gadget, source: ScriptedAccessorySource(), isReachable: true)
        let session = try await house.session()
        let response = try await session.write(
            #"{"aid":100,"iid":12,"value":"AQI=","r":true},{"aid":2,"iid":9,"value":true,"r":true}"#)
        #expect(response.status == 207)
        #expect(
            response.text == #"{"characteristics":[{"aid":100,"iid":12,"status":0,"value":"AQI="},"#
                + #"{"aid":2,"iid":9,"status":0}]}"#)
        #expect(try await session.write(#"{"aid":100,"iid":12,"value":"AQI="}"#).status == 204)
        #expect(try await session.write(#"{"aid":2,"iid":9,"value":true,"r":1}"#).status == 204)
    }

    @Test("identifies a light, and does nothing for false or for the bridge itself")
    func identify() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":2,"value":true}"#)
        _ = try await session.write(#"{"aid":3,"iid":2,"value":false},{"aid":1,"iid":2,"value":true}"#)
        await house.drain()
        #expect(house.bridge.driver.identified == ["lamp"])
        #expect(house.bridge.driver.orders.isEmpty)
    }

    @Test("answers -70402 for the identification of an unreachable light")
    func identifyUnreachable() async throws {
        let house = try await House()
        let session = try await house.session()
        await house.report(LightReport(reachable: false))
        let response = try await session.write(#"{"aid":2,"iid":2,"value":true},{"aid":3,"iid":2,"value":true}"#)
        #expect(
            response.text
                == #"{"characteristics":[{"aid":2,"iid":2,"status":-70402},{"aid":3,"iid":2,"status":0}]}"#)
        await house.drain()
        #expect(house.bridge.driver.identified == ["plain"])
    }

    @Test("replaces an identification that doesn't end, without blocking its requests")
    func identifyAgain() async throws {
        let house = try await House()
        house.bridge.driver.setIdentifyWaits()
        let session = try await house.session()
        for count in 1...5 {
            #expect(try await session.write(#"{"aid":2,"iid":2,"value":true}"#).status == 204)
            try await eventually { house.bridge.driver.identified.count == count }
        }
        try await eventually("the earlier ones end") { house.bridge.driver.waitingCount == 1 }
        await house.bridge.host.removed("lamp")
        try await eventually("it ends with the light") { house.bridge.driver.waitingCount == 0 }
    }

    @Test("ends an identification after 2 s")
    func identifyTimeout() async throws {
        let house = try await House()
        house.bridge.driver.setIdentifyWaits()
        let session = try await house.session()
        #expect(try await session.write(#"{"aid":2,"iid":2,"value":true}"#).status == 204)
        try await eventually("the light is identified") { house.bridge.driver.waitingCount == 1 }
        await house.bridge.scheduler.advance(by: .milliseconds(1999))
        #expect(house.bridge.driver.waitingCount == 1)
        await house.bridge.scheduler.advance(by: .milliseconds(1))
        try await eventually("it ends") { house.bridge.driver.waitingCount == 0 }
    }

    @Test("accepts a body of nearly a megabyte")
    func large() async throws {
        let entries = Array(repeating: #"{"aid":9,"iid":9,"value":true}"#, count: 20_000).joined(separator: ",")
        let response = try await House().session().write(entries)
        #expect(response.status == 207)
    }
}
