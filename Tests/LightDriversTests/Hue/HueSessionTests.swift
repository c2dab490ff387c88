import BoundedJSON
import DeviceKit
import Discovery
import HAPModel
import HTTPKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A session with a Hue bridge", .timeout)
struct HueSessionTests {
    typealias Event = SessionEvent<HueSession.Output>

    static let bridge = "001788fffe123456"
    static let certificate = [UInt8](repeating: 7, count: 32)
    static let credentials = HueCredentials(certificate: certificate, key: "secret-key")
    static let den: LightID = "001788fffe123456/l1"
    static let identity = HTTPClientResponse(
        body: Array(#"{"name": "Home", "bridgeid": "001788FFFE123456", "modelid": "BSB002"}"#.utf8))

    static let resources = [
        "device": """
        {"id": "d1", "type": "device", "product_data": {"manufacturer_name": "Signify", "product_name": "Hue lamp",
         "software_version": "1.104.2"}}
        """,
        "zigbee_connectivity": """
        {"id": "z1", "type": "zigbee_connectivity", "owner": {"rid": "d1"}, "status": "connected", "mac_address": "00:17"}
        """,
        "room":
            #"{"id": "r1", "type": "room", "metadata": {"name": "Office"}, "children": [{"rid": "d1", "rtype": "device"}]}"#,
        "zone": #"{"id": "o1", "type": "zone", "metadata": {"name": "Upstairs"}, "children": []}"#,
        "light": """
        {"id": "l1", "type": "light", "owner": {"rid": "d1"}, "on": {"on": false}, "dimming": {"brightness": 50},
         "metadata": {"name": "Den"}}
        """,
        "grouped_light": """
        {"id": "g1", "type": "grouped_light", "owner": {"rid": "r1", "rtype": "room"}, "on": {"on": false},
         "dimming": {"brightness": 0}}, {"id": "g2", "owner": {"rid": "home", "rtype": "bridge_home"}, "on": {"on": true}}
        """,
    ]

    struct Talk {
        var session: HueSession
        var now = Duration.zero
        var resources = HueSessionTests.resources

        init(groups: Bool = false) {
            session = HueSession(name: "10.0.0.5", options: HueOptions(groups: groups), now: .zero)
        }

        mutating func receive(_ input: HueSession.Input) -> [Event] { session.received(input, now: now) }

        mutating func pass(_ time: Duration) -> [Event] {
            now += time
            return session.timePassed(now: now)
        }

        /// Answers all reads among the events, and returns the resulting events except outputs.
        mutating func answer(reads events: [Event]) -> [Event] {
            var learnt: [Event] = []
            var waiting = events
            while !waiting.isEmpty {
                guard case .output(.request(let lane, let number, let request)) = waiting.removeFirst() else {
                    continue
                }
                guard request.method == .get else { continue }
                let type = String(request.path.split(separator: "/").last ?? "")
                let body = #"{"errors": [], "data": [\#(resources[type] ?? "")]}"#
                let next = receive(.answer(lane: lane, number: number, HTTPClientResponse(body: Array(body.utf8))))
                learnt += next.filter { if case .output = $0 { false } else { true } }
                waiting += next
            }
            return learnt
        }

        /// Opens the session and its event stream.
        ///
        /// Returns the events that begin the first reading.
        mutating func open() -> [Event] {
            _ = session.started(now: now)
            _ = receive(.identity(HueSessionTests.identity, certificate: HueSessionTests.certificate))
            _ = receive(.credentials(HueSessionTests.credentials))
            return receive(.stream(status: 200))
        }

        mutating func join() -> [Event] { answer(reads: open()) }

        mutating func update(_ data: String, type: String = "update") -> [Event] {
            receive(.event(Array(#"[{"type": "\#(type)", "data": [\#(data)]}]"#.utf8), id: "5:0"))
        }

        mutating func order(_ command: LightCommand, _ number: Int, to light: LightID = den) throws -> [Event] {
            try session.apply(command, to: light, number: number, now: now)
        }
    }

    /// The requests among the events: `PUT light/l1 {...}`.
    static func requests(_ events: [Event]) -> [String] {
        events.compactMap { event in
            guard case .output(.request(_, _, let request)) = event else { return nil }
            let path = request.path.replacing("/clip/v2/resource/", with: "")
            return "\(request.method.rawValue) \(path) \(String(decoding: request.body, as: UTF8.self))"
        }
    }

    // MARK: Pairing

    @Test("asks an unknown bridge for a key until its link button is pressed, and pins its certificate")
    func pairing() {
        var talk = Talk()
        #expect(talk.session.started(now: .zero) == [.output(.identify)])
        #expect(
            talk.receive(.identity(Self.identity, certificate: Self.certificate)) == [
                .output(.load(bridge: Self.bridge))
            ])
        #expect(
            talk.receive(.credentials(nil)) == [
                .identified(Self.bridge),
                .warning("press the link button of Home (10.0.0.5) to use its lights"),
                .output(.pair(certificate: Self.certificate)),
            ])
        let refusal = HTTPClientResponse(
            body: Array(#"[{"error": {"type": 101, "description": "link button not pressed"}}]"#.utf8))
        #expect(talk.receive(.paired(refusal)) == [])
        #expect(talk.pass(HueSession.pairingInterval - .milliseconds(1)) == [])
        #expect(talk.pass(.milliseconds(1)) == [.output(.pair(certificate: Self.certificate))])
        let success = HTTPClientResponse(body: Array(#"[{"success": {"username": "secret-key"}}]"#.utf8))
        #expect(
            talk.receive(.paired(success)) == [
                .warning(nil), .output(.store(Self.credentials, bridge: Self.bridge)), .output(.open(Self.credentials)),
                .output(.follow(after: nil)),
            ])
    }

    @Test("rejects a key that HTTP can't carry", arguments: ["", "a b", "a\\r\\nb", "ü"])
    func oddKeys(key: String) {
        var talk = Talk()
        _ = talk.receive(.identity(Self.identity, certificate: Self.certificate))
        _ = talk.receive(.credentials(nil))
        #expect(
            talk.receive(.paired(HTTPClientResponse(body: Array(#"[{"success": {"username": "\#(key)"}}]"#.utf8))))
                == [])
    }

    @Test("rejects a known bridge with a different certificate before it sends the key, with a remedy")
    func otherCertificate() {
        var talk = Talk()
        talk.session = HueSession(
            name: "10.0.0.5", options: HueOptions(credentials: HueCredentialStore(directory: "/var/lib/l/hue/hue")),
            now: .zero)
        _ = talk.receive(.identity(Self.identity, certificate: [1]))
        let events = talk.receive(.credentials(Self.credentials))
        guard case .failed(.unusable(let text))? = events.first, events.count == 1 else {
            Issue.record("\(events)")
            return
        }
        #expect(text.contains("remove /var/lib/l/hue/hue/001788fffe123456.json and press its link button"))
        #expect(!text.contains("secret-key"))
    }

    @Test(
        "rejects devices of other kinds",
        arguments: [
            "<html>", "{}", "[]", #"{"bridgeid": "../../etc/passwd"}"#, #"{"bridgeid": "1234567890ä"}"#,
            #"{"bridgeid": 5}"#,
            #"{"bridgeid": "001788fffe1234567"}"#,
        ])
    func noBridge(body: String) {
        var talk = Talk()
        let events = talk.receive(.identity(HTTPClientResponse(body: Array(body.utf8)), certificate: Self.certificate))
        #expect(events == [.failed(.unusable("10.0.0.5 isn't a Hue bridge; remove it from hosts"))])
    }

    @Test(
        "treats a bad first answer as a temporary failure",
        arguments: [(500, "{}"), (502, "<html>"), (200, ""), (200, #"{"bridgeid": "00178"#)])
    func badStart(status: Int, body: String) {
        var talk = Talk()
        let response = HTTPClientResponse(status: status, body: Array(body.utf8))
        guard case .failed(.unreachable)? = talk.receive(.identity(response, certificate: Self.certificate)).first
        else {
            Issue.record("the failure isn't temporary")
            return
        }
    }

    @Test("pairs again after the bridge has deleted the key, with the lights unreachable until then")
    func keyDeleted() {
        var talk = Talk()
        _ = talk.join()
        _ = talk.receive(.streamEnded(.connection("")))
        #expect(talk.pass(.zero) == [.output(.follow(after: nil))])
        let events = talk.receive(.stream(status: 403))
        #expect(events.first == .report(Self.den, LightReport(reachable: false)))
        #expect(events.last == .output(.pair(certificate: Self.certificate)))
        #expect(throws: LightError.unreachable) { try talk.order(LightCommand(on: true), 1) }
    }

    // MARK: Reading

    @Test("reads everything once the event stream is open, and describes lights by devices and rooms")
    func reading() throws {
        var talk = Talk()
        let events = talk.join()
        let den = LightDescription(
            id: Self.den, name: "Den", capabilities: LightCapabilities(brightness: true, transition: true),
            manufacturer: "Signify", model: "Hue lamp", serialNumber: "00:17", firmware: "1.104.2",
            suggestedRoom: "Office")
        #expect(
            events == [.lights([den]), .report(Self.den, LightReport(on: false, brightness: 50, reachable: true))])
    }

    @Test("shows rooms and zones on request, and never the whole home")
    func groups() throws {
        var talk = Talk(groups: true)
        let events = talk.join()
        #expect(events.lights()?.map(\.name) == ["Office", "Den"])
        let group = try talk.order(LightCommand(on: true), 1, to: "001788fffe123456/g1")
        #expect(Self.requests(group) == [#"PUT grouped_light/g1 {"on":{"on":true}}"#])
    }

    @Test("applies events that arrive during a read")
    func eventsWhileReading() {
        var talk = Talk()
        let reads = talk.open()
        #expect(talk.update(#"{"id": "l1", "type": "light", "on": {"on": true}}"#) == [])
        #expect(
            talk.answer(reads: reads).last == .report(Self.den, LightReport(on: true, brightness: 50, reachable: true)))
    }

    @Test("reads all resources again if too many events arrive during a read")
    func manyEventsWhileReading() {
        var talk = Talk()
        let reads = talk.open()
        for _ in 0...HueSession.maximumEvents { _ = talk.update(#"{"id": "l1", "type": "light", "on": {"on": true}}"#) }
        _ = talk.answer(reads: reads)
        #expect(Self.requests(talk.pass(HueSession.readDelay)).count == 1)
    }

    @Test("resumes a broken stream from the last event, and reads all resources again")
    func reconnect() {
        var talk = Talk()
        _ = talk.join()
        _ = talk.update(#"{"id": "l1", "type": "light", "on": {"on": true}}"#)
        #expect(talk.receive(.streamEnded(.timedOut)) == [])
        #expect(talk.pass(.zero) == [.output(.follow(after: "5:0"))])
        talk.resources["light"] = talk.resources["light"]?.replacing("50", with: "80")
        let events = talk.answer(reads: talk.receive(.stream(status: 200)))
        #expect(events.last == .report(Self.den, LightReport(on: false, brightness: 80, reachable: true)))
    }

    @Test("ends the connection when the stream doesn't reopen or a request isn't answered")
    func lost() throws {
        var talk = Talk()
        _ = talk.join()
        _ = talk.receive(.streamEnded(.timedOut))
        _ = talk.pass(.zero)
        #expect(talk.receive(.streamEnded(.connection("no route"))) == [.failed(.unreachable("no route"))])
        talk = Talk()
        _ = talk.join()
        _ = try talk.order(LightCommand(on: true), 1)
        #expect(talk.receive(.noAnswer(lane: 0, number: 5, .timedOut)) == [.failed(.unreachable("no answer in time"))])
    }

    @Test(
        "removes no lights because of an invalid list",
        arguments: ["", "{}", #"{"data": 5}"#, #"{"data": [], "errors": [{}]}"#])
    func brokenList(body: String) {
        var talk = Talk()
        _ = talk.join()
        _ = talk.receive(.streamEnded(.timedOut))
        _ = talk.pass(.zero)
        guard case .output(.request(let lane, let number, _))? = talk.receive(.stream(status: 200)).first else {
            Issue.record("no resources are requested")
            return
        }
        let events = talk.receive(.answer(lane: lane, number: number, HTTPClientResponse(body: Array(body.utf8))))
        switch events.first {
        case .failed(.unreachable)? where body.isEmpty: break
        case .failed(.unusable)? where !body.isEmpty: break
        default: Issue.record("\(events)")
        }
    }

    // MARK: Events

    @Test("reports changes")
    func updates() {
        var talk = Talk()
        _ = talk.join()
        #expect(
            talk.update(#"{"id": "l1", "type": "light", "on": {"on": true}, "dimming": {"brightness": 30.2}}"#)
                == [.report(Self.den, LightReport(on: true, brightness: 30, reachable: true))])
        #expect(
            talk.update(
                #"{"id": "z1", "type": "zigbee_connectivity", "owner": {"rid": "d1"}, "status": "connectivity_issue"}"#)
                == [.report(Self.den, LightReport(on: true, brightness: 30, reachable: false))])
        #expect(throws: LightError.unreachable) { try talk.order(LightCommand(on: false), 1) }
    }

    @Test("reads all resources once, a second after resources are added or removed", arguments: ["add", "delete"])
    func additions(type: String) {
        var talk = Talk()
        _ = talk.join()
        for _ in 0..<5 { #expect(talk.update(#"{"id": "l2", "type": "light"}"#, type: type) == []) }
        #expect(talk.pass(HueSession.readDelay - .milliseconds(1)) == [])
        let reads = talk.pass(.milliseconds(1))
        talk.resources["light"] = ""
        #expect(talk.answer(reads: reads) == [.lights([])])
        #expect(talk.pass(.seconds(60)) == [])
    }

    @Test("ignores events about resources of other types", arguments: ["behavior_instance", "entertainment"])
    func otherEvents(type: String) {
        var talk = Talk()
        _ = talk.join()
        #expect(talk.update(#"{"id": "x", "type": "\#(type)"}"#, type: "add") == [])
        #expect(talk.pass(.seconds(60)) == [])
    }

    // MARK: Scenes

    private static let scenes = """
        {"id": "s1", "type": "scene", "metadata": {"name": "Relax"}, "group": {"rid": "r1", "rtype": "room"}},
        {"id": "s2", "type": "scene", "metadata": {"name": "Read"}, "group": {"rid": "r1", "rtype": "room"}},
        {"id": "s3", "type": "scene", "metadata": {"name": "Party"}, "group": {"rid": "o1", "rtype": "zone"}},
        {"id": "s4", "type": "scene", "metadata": {"name": "Gone"}, "group": {"rid": "r9", "rtype": "room"}},
        {"id": "s1", "type": "scene", "metadata": {"name": "Relax"}, "group": {"rid": "r1", "rtype": "room"}},
        {"id": "../x", "type": "scene", "metadata": {"name": "Bad"}, "group": {"rid": "r1", "rtype": "room"}}
        """

    @Test("shows the scenes of each room and zone as an accessory, and activates them")
    func scenes() throws {
        var talk = Talk()
        talk.resources["scene"] = Self.scenes
        let events = talk.join()
        guard case .lights(let all)? = events.first else {
            Issue.record("\(events)")
            return
        }
        let shown = all.filter { $0.kind == .scene }.sorted { $0.name < $1.name }
        #expect(shown.map(\.name) == ["Office Scenes", "Upstairs Scenes"])
        #expect(shown.map { $0.functions.map(\.id) } == [["scene/s1", "scene/s2"], ["scene/s3"]])
        let office = LightID("\(Self.bridge)/r1/scenes")
        #expect(shown[0].id == office && events.contains(.report(office, LightReport(reachable: true))))
        var command = LightCommand()
        command.values[Property(.on, of: "scene/s2")] = .bool(true)
        let sent = try talk.order(command, 1, to: office)
        #expect(Self.requests(sent) == [#"PUT scene/s2 {"recall":{"action":"active"}}"#])
        guard case .output(.request(let lane, let number, _))? = sent.first else { return }
        let answer = HTTPClientResponse(body: Array(#"{"errors": [], "data": []}"#.utf8))
        #expect(talk.receive(.answer(lane: lane, number: number, answer)) == [.finished(command: 1, nil)])
        // The state of a scene isn't shown, and its events activate nothing.
        #expect(talk.update(#"{"id": "s1", "type": "scene", "status": {"active": "static"}}"#) == [])
        #expect(talk.pass(.seconds(60)) == [])
        #expect(talk.update(#"{"id": "s1", "type": "scene", "metadata": {"name": "Calm"}}"#) == [])
        #expect(!talk.pass(.seconds(60)).isEmpty, "it reads the resources again")
    }

    @Test("warns about a room with more scenes than an accessory can show")
    func tooManyScenes() {
        var talk = Talk()
        talk.resources["scene"] = (10...42).map { number in
            #"{"id": "s\#(number)", "type": "scene", "metadata": {"name": "S"}, "group": {"rid": "r1", "rtype": "room"}}"#
        }.joined(separator: ",")
        let text = "only 32 of the 33 scenes of Office are shown; remove some in the Hue app"
        #expect(talk.join().contains(.warning(text)))
    }

    // MARK: Sensors

    private static let motionSensor = [
        "device": """
        {"id": "d2", "metadata": {"name": "Stairs"}, "product_data": {"product_name": "Hue motion sensor"}}
        """,
        "motion": """
        {"id": "m1", "type": "motion", "owner": {"rid": "d2"}, "enabled": true, "motion": {"motion": false,
         "motion_valid": true, "motion_report": {"changed": "2026-08-01T12:00:00Z", "motion": false}}}
        """,
        "temperature": """
        {"id": "t1", "type": "temperature", "owner": {"rid": "d2"}, "enabled": true, "temperature": {"temperature": 21.37,
         "temperature_valid": true}}
        """,
        "light_level":
            #"{"id": "i1", "type": "light_level", "owner": {"rid": "d2"}, "light": {"light_level": 20001}}"#,
        "device_power": """
        {"id": "p1", "type": "device_power", "owner": {"rid": "d2"}, "power_state": {"battery_level": 87}},
        {"id": "p2", "type": "device_power", "owner": {"rid": "remote"}, "power_state": {"battery_level": 5}}
        """,
        "zigbee_connectivity":
            #"{"id": "z2", "type": "zigbee_connectivity", "owner": {"rid": "d2"}, "status": "connected"}"#,
    ]

    private static let stairs: LightID = "001788fffe123456/d2/sensors"

    private static func withSensor(_ more: [String: String] = [:]) -> Talk {
        var talk = Talk()
        talk.resources = motionSensor.merging(more) { $1 }
        return talk
    }

    @Test("combines a device's readings into one sensor, and skips a device with only a battery")
    func sensors() {
        var talk = Self.withSensor()
        let stairs = LightDescription(
            id: Self.stairs, name: "Stairs", kind: .sensor,
            capabilities: .sensor([.motion, .temperature, .illuminance, .battery]), model: "Hue motion sensor")
        let readings: [SensorReading: SensorValue] = [
            .motion: .flag(false), .temperature: .number(21.37), .illuminance: .number(100), .battery: .number(87),
        ]
        #expect(
            talk.join() == [.lights([stairs]), .report(Self.stairs, LightReport(readings: readings, reachable: true))])
        let moved = talk.update(#"{"id": "m1", "type": "motion", "motion": {"motion_report": {"motion": true}}}"#)
        let moving = readings.merging([.motion: .flag(true)]) { $1 }
        #expect(moved == [.report(Self.stairs, LightReport(readings: moving, reachable: true))])
        #expect(throws: LightError.unknownLight) { try talk.order(LightCommand(on: true), 1, to: Self.stairs) }
        #expect(talk.update(#"{"id": "d2", "type": "device", "metadata": {"name": "Stairs"}}"#) == [])
        #expect(talk.session.deadline == nil)
        #expect(talk.update(#"{"id": "d2", "type": "device", "metadata": {"name": "Cellar"}}"#) == [])
        #expect(
            !Self.requests(talk.pass(HueSession.readDelay)).isEmpty, "a new name makes the session read all resources")
        talk = Self.withSensor()
        _ = talk.join()
        let lost = talk.update(
            #"{"id": "z2", "type": "zigbee_connectivity", "owner": {"rid": "d2"}, "status": "connectivity_issue"}"#)
        guard case .report(Self.stairs, let report)? = lost.first, lost.count == 1 else {
            Issue.record("\(lost)")
            return
        }
        #expect(report.reachable == false)
    }

    @Test(
        "reads the value of a sensor, or reports it as unknown",
        arguments: [
            ("motion", #""motion": {"motion": true}"#, .motion, .flag(true)),
            ("motion", #""motion": {"motion": true, "motion_report": {"motion": false}}"#, .motion, .flag(false)),
            ("motion", #""enabled": false, "motion": {"motion": true}"#, .motion, .unknown),
            ("motion", #""motion": {"motion": 1}"#, .motion, .unknown),
            ("contact", #""contact_report": {"state": "contact"}"#, .contact, .flag(true)),
            ("contact", #""contact_report": {"state": "no_contact"}"#, .contact, .flag(false)),
            ("camera_motion", #""motion": {"motion_report": {"motion": true}}"#, .motion, .flag(true)),
            (
                "tamper",
                #""tamper_reports": [{"source": "x", "state": "not_tampered"}, {"source": "y", "state": "tampered"}]"#,
                .tamper, .flag(true)
            ),
            ("tamper", #""tamper_reports": []"#, .tamper, .flag(false)), ("tamper", "", .tamper, .unknown),
            ("temperature", #""temperature": {"temperature_report": {"temperature": -4}}"#, .temperature, .number(-4)),
            ("temperature", #""temperature": {"temperature": "warm"}"#, .temperature, .unknown),
            ("light_level", #""light": {"light_level_report": {"light_level": 0}}"#, .illuminance, .number(0)),
            ("light_level", #""light": {"light_level": 1}"#, .illuminance, .number(1)),
            ("light_level", #""light": {"light_level": 1e300}"#, .illuminance, .number(200_000)),
            ("device_power", #""power_state": {"battery_level": 5, "battery_state": "low"}"#, .battery, .number(5)),
            ("device_power", #""power_state": {"battery_state": "critical"}"#, .batteryLow, .flag(true)),
            ("device_power", #""power_state": {"battery_level": null}"#, .batteryLow, .unknown),
        ] as [(String, String, SensorReading, SensorValue)])
    func reading(type: String, fields: String, reading: SensorReading, value: SensorValue) throws {
        let json = try JSONValue(
            parsing: Array(#"{"id": "x", "owner": {"rid": "d"}\#(fields.isEmpty ? "" : ", ")\#(fields)}"#.utf8))
        let sensor = try #require(HueSensor(json, type: type))
        #expect(sensor.reading == reading)
        #expect(sensor.value == value)
    }

    @Test("keeps lights when the bridge doesn't know a sensor type, and everything when a list fails")
    func unknownSensors() throws {
        let notFound = #"{"errors": [{"description": "not found"}], "data": []}"#
        for (status, body) in [(404, notFound), (404, ""), (200, "nonsense"), (200, notFound), (503, ""), (500, "{}")] {
            var talk = Talk()
            var waiting = talk.open()
            var learnt: [Event] = []
            while !waiting.isEmpty {
                guard case .output(.request(let lane, let number, let request)) = waiting.removeFirst() else {
                    continue
                }
                let type = String(request.path.split(separator: "/").last ?? "")
                let isSensor = HueSensor.types.contains(type)
                let text = isSensor ? body : #"{"errors": [], "data": [\#(talk.resources[type] ?? "")]}"#
                let response = HTTPClientResponse(status: isSensor ? status : 200, body: Array(text.utf8))
                let next = talk.receive(.answer(lane: lane, number: number, response))
                learnt += next.filter { if case .output = $0 { false } else { true } }
                waiting += next
            }
            if status == 404 {
                #expect(learnt.last == .report(Self.den, LightReport(on: false, brightness: 50, reachable: true)))
            } else {
                #expect(!learnt.contains { if case .lights = $0 { true } else { false } }, "\(status) \(body)")
            }
        }
    }

    // MARK: Commands

    @Test("sends a command as a request, and finishes it with the answer")
    func commands() throws {
        var talk = Talk()
        _ = talk.join()
        let events = try talk.order(LightCommand(on: true, brightness: 40), 9)
        #expect(Self.requests(events) == [#"PUT light/l1 {"on":{"on":true},"dimming":{"brightness":40}}"#])
        guard case .output(.request(let lane, let number, _))? = events.first else { return }
        let answer = HTTPClientResponse(body: Array(#"{"errors": [], "data": [{"rid": "l1", "rtype": "light"}]}"#.utf8))
        #expect(talk.receive(.answer(lane: lane, number: number, answer)) == [.finished(command: 9, nil)])
        #expect(talk.receive(.answer(lane: lane, number: number, answer)) == [], "a repeated answer is ignored")
        #expect(throws: LightError.unknownLight) { try talk.order(LightCommand(on: true), 1, to: "other/l1") }
    }

    @Test("reports the state after a command that changes nothing, because the bridge sends no event")
    func confirmation() throws {
        var talk = Talk()
        _ = talk.join()
        guard case .output(.request(let lane, let number, _))? = try talk.order(LightCommand(on: false), 9).first else {
            Issue.record("no request")
            return
        }
        #expect(
            talk.receive(.answer(lane: lane, number: number, HTTPClientResponse()))
                == [
                    .finished(command: 9, nil),
                    .report(Self.den, LightReport(on: false, brightness: 50, reachable: true)),
                ])
    }

    @Test(
        "reports a refusal with the bridge's reason, sanitized",
        arguments: [
            (400, #"{"errors": [{"description": "bad\u001b"}]}"#, LightError.refused("bad\\u{1B}")),
            (500, "", .refused("HTTP status 500")), (404, "", .unreachable),
        ])
    func refusals(status: Int, body: String, error: LightError) throws {
        var talk = Talk()
        _ = talk.join()
        guard case .output(.request(let lane, let number, _))? = try talk.order(LightCommand(on: true), 9).first else {
            Issue.record("no request")
            return
        }
        let answer = HTTPClientResponse(status: status, body: Array(body.utf8))
        #expect(talk.receive(.answer(lane: lane, number: number, answer)).first == .finished(command: 9, error))
    }

    @Test("waits longer before each retry while the bridge is busy", arguments: [429, 503])
    func busy(status: Int) throws {
        var talk = Talk()
        _ = talk.join()
        var events = try talk.order(LightCommand(on: true), 9)
        for pause in [250, 500, 750] {
            guard case .output(.request(let lane, let number, _))? = events.first else {
                Issue.record("no request")
                return
            }
            #expect(talk.receive(.answer(lane: lane, number: number, HTTPClientResponse(status: status))) == [])
            #expect(talk.pass(.milliseconds(pause - 1)) == [])
            events = talk.pass(.milliseconds(1))
        }
        #expect(Self.requests(events).count == 1)
    }

    @Test("identifies a light by its device, and a room by its alert")
    func identify() throws {
        var talk = Talk(groups: true)
        _ = talk.join()
        let light = try talk.session.identify(Self.den, number: 1, now: .zero)
        #expect(
            Self.requests(light)
                == [#"PUT device/d1 {"identify":{"action":"identify"}}"#])
        let group = try talk.session.identify("001788fffe123456/g1", number: 2, now: .zero)
        #expect(
            Self.requests(group)
                == [#"PUT grouped_light/g1 {"alert":{"action":"breathe"}}"#])
    }

    @Test(
        "uses port 443 for emulators that announce their HTTP port",
        arguments: [(UInt16(443), 443), (80, 443), (8443, 8443)])
    func ports(announced: UInt16, port: Int) {
        let service = DiscoveredService(id: .init(name: "a", host: "b"), port: announced, txt: [:], addresses: [])
        #expect(HueSession.port(of: service) == port)
    }

    // MARK: Buttons

    /// A dimmer switch, as the bridge lists it (aiohue's model of buttons).
    private static func remote(_ values: String, event: String = "short_release") -> [String: String] {
        var resources = resources
        resources["device"]? +=
            #", {"id": "d3", "metadata": {"name": "Remote"}, "product_data": {"product_name": "Dimmer"}}"#
        resources["device_power"] =
            #"{"id": "p3", "owner": {"rid": "d3"}, "power_state": {"battery_level": 80, "battery_state": "normal"}}"#
        resources["button"] = [1, 2].map { number in
            """
            {"id": "b\(number)", "type": "button", "owner": {"rid": "d3"}, "metadata": {"control_id": \(number)},
             "button": {"button_report": {"updated": "2026-11-27T01:00:00.000Z", "event": "\(event)"},
              "event_values": [\(values)]}}
            """
        }.joined(separator: ", ")
        return resources
    }

    private static let remoteID: LightID = "001788fffe123456/d3/sensors"
    private static let usual = #""initial_press", "repeat", "short_release", "long_release", "long_press""#

    private static func presses(_ events: [Event]) -> [String] {
        events.flatMap { event -> [String] in
            guard case .occurred(let id, let values) = event else { return [] }
            return values.map {
                "\(id) \($0.property.function ?? "") \($0.value.flatMap(ButtonPress.init)?.rawValue ?? "?")"
            }
        }
    }

    private static func press(_ event: String, _ number: Int = 1, at second: Int) -> String {
        """
        {"id": "b\(number)", "type": "button", "owner": {"rid": "d3"}, "button": {"last_event": "\(event)",
         "button_report": {"updated": "2026-11-27T01:00:\(second).000Z", "event": "\(event)"}}}
        """
    }

    @Test("shows a remote with its battery, and acts on the release of a short press and on a long press")
    func buttons() throws {
        var talk = Talk()
        talk.resources = Self.remote(Self.usual)
        let events = talk.join()
        let remote = try #require(events.lights()?.first { $0.id == Self.remoteID })
        #expect(remote.kind == .button && remote.name == "Remote" && remote.capabilities.readings == [.battery])
        #expect(remote.buttons.map(\.id) == ["1", "2"] && remote.buttons[0].presses == [.single, .long])
        #expect(Self.presses(events).isEmpty)
        let table = [
            ("initial_press", []), ("short_release", ["1 single"]), ("long_press", ["1 long"]), ("repeat", []),
            ("long_release", []), ("double_short_release", []), ("unknown", []),
        ]
        for (index, (event, press)) in table.enumerated() {
            let said = talk.update(Self.press(event, at: 10 + index))
            #expect(Self.presses(said) == press.map { "\(Self.remoteID) \($0)" })
        }
    }

    @Test("reports a press once, and ignores presses that the bridge repeats after a reconnect")
    func repeatedPresses() {
        var talk = Talk()
        talk.resources = Self.remote(Self.usual)
        _ = talk.join()
        #expect(Self.presses(talk.update(Self.press("short_release", at: 10))).count == 1)
        #expect(Self.presses(talk.update(Self.press("short_release", at: 10))).isEmpty)
        _ = talk.receive(.streamEnded(.timedOut))
        _ = talk.pass(.zero)
        let reads = talk.receive(.stream(status: 200))
        #expect(Self.presses(talk.update(Self.press("short_release", at: 11))).isEmpty)
        _ = talk.answer(reads: reads)
        #expect(Self.presses(talk.update(Self.press("short_release", at: 11))).isEmpty)
        #expect(Self.presses(talk.update(Self.press("short_release", 2, at: 12))) == ["\(Self.remoteID) 2 single"])
    }

    @Test("uses the only event of a button without a battery, and the long release of earlier firmware")
    func otherButtons() {
        for (values, event, press) in [
            (#""initial_press""#, "initial_press", "single"),
            (#""short_release", "long_release""#, "long_release", "long"),
        ] {
            var talk = Talk()
            talk.resources = Self.remote(values)
            _ = talk.join()
            #expect(Self.presses(talk.update(Self.press(event, at: 20))) == ["\(Self.remoteID) 1 \(press)"])
        }
    }
    @Test("reports a turn of a dial once, as a press of one of two buttons")
    func dial() throws {
        var talk = Talk()
        talk.resources = Self.remote(#""initial_press", "short_release""#)
        talk.resources["relative_rotary"] =
            #"{"id": "t1", "type": "relative_rotary", "owner": {"rid": "d3"}, "relative_rotary": {}}"#
        let remote = try #require(talk.join().lights()?.first { $0.id == Self.remoteID })
        let names = ["Button 1", "Button 2", "Dial Clockwise", "Dial Counterclockwise"]
        #expect(remote.buttons.map(\.name) == names && remote.buttons[2].presses == [.single])
        func turn(_ action: String, _ direction: String, at second: Int) -> [String] {
            let turn =
                #""action": "\#(action)", "rotation": {"direction": "\#(direction)", "steps": 30, "duration": 400}"#
            return Self.presses(
                talk.update(
                    """
                    {"id": "t1", "type": "relative_rotary", "owner": {"rid": "d3"}, "relative_rotary": {
                     "last_event": {\(turn)}, "rotary_report": {"updated": "2026-11-27T01:00:\(second).000Z", \(turn)}}}
                    """))
        }
        #expect(turn("start", "clock_wise", at: 10) == ["\(Self.remoteID) dial-clockwise single"])
        #expect(turn("start", "clock_wise", at: 10).isEmpty)
        #expect(turn("repeat", "clock_wise", at: 11).isEmpty)
        #expect(turn("start", "counter_clock_wise", at: 12) == ["\(Self.remoteID) dial-counterclockwise single"])
        #expect(turn("start", "up", at: 13).isEmpty)
    }
}
