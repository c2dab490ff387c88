import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("GET /characteristics and /accessories", .timeout)
struct ReadTests {
    /// A query, the status of the response, and its entries.
    struct Row: CustomTestStringConvertible, Sendable {
        let query: String
        let status: Int
        let entries: String?
        var testDescription: String { query }

        init(_ query: String, _ status: Int, _ entries: String? = nil) {
            self.query = query
            self.status = status
            self.entries = entries
        }
    }

    private static let on = #"{"aid":2,"iid":9,"value":false}"#
    private static let onOK = #"{"aid":2,"iid":9,"status":0,"value":false}"#
    private static let level = #"{"aid":2,"iid":10,"value":100}"#
    private static func missing(_ aid: UInt64, _ iid: UInt64) -> String {
        #"{"aid":\#(aid),"iid":\#(iid),"status":-70409}"#
    }

    @Test(
        "answers as specified in each row of the tables of HAP 8.4",
        arguments: [
            Row("id=2.9", 200, on),
            // The entries have the order of the request, with one entry for each repeated id.
            Row("id=2.10,2.9", 200, "\(level),\(on)"),
            Row("id=2.9,2.9", 200, "\(on),\(on)"),
            Row("id=2.9,2.10,3.9", 200, #"\#(on),\#(level),{"aid":3,"iid":9,"value":false}"#),
            Row("id=2.9&id=2.10", 200, "\(on),\(level)"),
            Row("id=2.9%2C2%2e10", 200, "\(on),\(level)"),
            Row("id=2.9%2c2.10", 200, "\(on),\(level)"),
            Row("id=1.5", 200, #"{"aid":1,"iid":5,"value":"Bridge"}"#),
            Row("new=thing&id=2.9", 200, on),
            Row("id=2.9#id=2.10", 200, on),
            Row("id=2.9&meta=0&perms=false&type=0&ev=0", 200, on),
            Row("id=2.9&ev=1", 200, #"{"aid":2,"iid":9,"value":false,"ev":false}"#),
            Row("id=2.9&type=1", 200, #"{"aid":2,"iid":9,"value":false,"type":"25"}"#),
            Row("id=2.9&perms=true", 200, #"{"aid":2,"iid":9,"value":false,"perms":["pr","pw","ev"]}"#),
            Row(
                "id=2.10&meta=1", 200,
                #"{"aid":2,"iid":10,"value":100,"format":"int","unit":"percentage","minValue":0,"maxValue":100,"#
                    + #""minStep":1}"#),
            Row(
                "id=2.9&meta=1&perms=1&type=1&ev=1", 200,
                #"{"aid":2,"iid":9,"value":false,"type":"25","perms":["pr","pw","ev"],"format":"bool","ev":false}"#),
            // If one entry fails, every entry has a status, and failed entries have no other members.
            Row("id=2.9,2.99", 207, "\(onOK),\(missing(2, 99))"),
            Row("id=2.99&meta=1&perms=1&type=1&ev=1", 207, missing(2, 99)),
            Row("id=77.1", 207, missing(77, 1)),
            Row("id=0.0", 207, missing(0, 0)),
            Row("id=18446744073709551615.1", 207, missing(.max, 1)),
            // Services aren't characteristics.
            Row("id=2.8", 207, missing(2, 8)),
            Row("id=2.2,2.9", 207, #"{"aid":2,"iid":2,"status":-70405},\#(onOK)"#),
            // CharacteristicRequestTests covers all queries that can't be parsed.
            Row("", 400), Row("id=2.9,", 400),
        ])
    func row(_ row: Row) async throws {
        let controller = try await House().session()
        let response = try await controller.read(row.query)
        #expect(response.status == row.status)
        if let entries = row.entries {
            #expect(response.text == #"{"characteristics":[\#(entries)]}"#)
            #expect(response.contentType == .hapJSON)
        } else {
            #expect(response.body.isEmpty)
        }
    }

    @Test("shows a subscription in `ev` only on the subscriber's connection")
    func subscribed() async throws {
        let house = try await House()
        let subscriber = try await house.session()
        let other = try await house.session()
        #expect(try await subscriber.write(#"{"aid":2,"iid":9,"ev":true}"#).status == 204)
        #expect(try await subscriber.read("id=2.9&ev=1").text.contains(#""ev":true"#))
        #expect(try await other.read("id=2.9&ev=1").text.contains(#""ev":false"#))
    }

    @Test("answers -70402 for values of an unreachable light, but still returns its description")
    func unreachable() async throws {
        let house = try await House()
        await house.report(LightReport(reachable: false))
        let controller = try await house.session()
        let response = try await controller.read("id=2.9,2.5,3.9")
        #expect(response.status == 207)
        #expect(
            response.text == #"{"characteristics":[{"aid":2,"iid":9,"status":-70402},"#
                + #"{"aid":2,"iid":5,"status":0,"value":"Lamp"},{"aid":3,"iid":9,"status":0,"value":false}]}"#)
        await house.report(LightReport(on: true, reachable: true))
        #expect(try await controller.read("id=2.9").text == #"{"characteristics":[{"aid":2,"iid":9,"value":true}]}"#)
    }

    @Test("answers GET /accessories with the whole database and the last known values")
    func accessories() async throws {
        let house = try await House()
        await house.report(LightReport(on: true, brightness: 40))
        await house.report(LightReport(reachable: false))
        let response = try await house.session().get("/accessories")
        #expect(response.status == 200)
        #expect(response.contentType == .hapJSON)
        #expect(response.text.hasPrefix(#"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","#))
        #expect(response.text.contains(#"{"iid":2,"type":"14","perms":["pw"],"format":"bool"}"#))
        #expect(response.text.contains(#"{"iid":9,"type":"37","perms":["pr"],"format":"string","value":"1.1.0"}"#))
        #expect(response.text.contains(#"{"iid":8,"type":"43","primary":true,"#))
        #expect(
            response.text.contains(
                #"{"iid":10,"type":"8","perms":["pr","pw","ev"],"format":"int","unit":"percentage","minValue":0,"#
                    + #""maxValue":100,"minStep":1,"value":40}"#))
        #expect(!response.text.contains("null"))
        // A report updates the cached text of its accessory.
        await house.report(LightReport(brightness: 41, reachable: true))
        #expect(try await house.session().get("/accessories").text.contains(#""minStep":1,"value":41}"#))
    }

    @Test("answers a request for a thousand ids")
    func many() async throws {
        let controller = try await House().session()
        let ids = Array(repeating: "2.9", count: 1000).joined(separator: ",")
        let response = try await controller.read("id=" + ids)
        #expect(response.status == 200)
        #expect(response.text.split(separator: "{").count == 1001)
    }
}
