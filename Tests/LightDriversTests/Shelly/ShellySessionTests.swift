import BoundedJSON
import DeviceKit
import HAPModel
import HTTPKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A session with a Shelly device", .timeout)
struct ShellySessionTests {
    typealias Event = SessionEvent<ShellySession.Output>

    static let identity = #"{"name": "Shelf", "mac": "A8032ABE54DC", "gen": 3, "ver": "1.7.1", "app": "DimmerG3"}"#
    static let light: LightID = "a8032abe54dc/light:0"
    static let challenge =
        #"{\"auth_type\": \"digest\", \"nonce\": 1625038762, \"nc\": 1, \"realm\": \"dimmer\", \"algorithm\": \"SHA-256\"}"#

    struct Talk {
        var session: ShellySession
        var now = Duration.zero

        init(_ options: ShellyOptions = ShellyOptions()) {
            session = ShellySession(name: "dimmer", options: options, now: .zero)
        }

        mutating func receive(_ input: ShellySession.Input) -> [Event] { session.received(input, now: now) }

        mutating func receive(_ text: String) -> [Event] { receive(.message(Array(text.utf8))) }

        mutating func identify(_ text: String = identity, status: Int = 200) -> [Event] {
            receive(.identity(HTTPClientResponse(status: status, body: Array(text.utf8))))
        }

        mutating func pass(_ time: Duration) -> [Event] {
            now += time
            return session.timePassed(now: now)
        }

        mutating func join(
            _ components: String = #""light:0": {"name": null}"#, sys: String = "{}",
            status: String = #""light:0": {"output": true, "brightness": 40}"#
        ) -> [Event] {
            _ = session.started(now: .zero)
            _ = identify()
            _ = receive(.opened)
            _ = receive(#"{"id": 1, "result": {"sys": \#(sys), \#(components)}}"#)
            return receive(#"{"id": 2, "result": {\#(status)}}"#)
        }

        mutating func order(_ command: LightCommand, _ number: Int) throws -> [Event] {
            try session.apply(command, to: light, number: number, now: now)
        }
    }

    static func calls(_ events: [Event]) -> [String] {
        events.compactMap { event in
            guard case .output(.call(let call)) = event else { return nil }
            return "\(call.number) \(call.method) \(call.params?.text ?? "")"
        }
    }

    @Test("ignores answers to other requests")
    func otherAnswers() throws {
        var talk = Talk()
        _ = talk.join()
        #expect(Self.calls(try talk.order(LightCommand(on: false), 7)).first?.hasPrefix("3 ") == true)
        for number in [2, 4] {
            #expect(!talk.receive(#"{"id": \#(number), "result": null}"#).contains(.finished(command: 7, nil)))
        }
        #expect(talk.receive(#"{"id": 3, "result": null}"#).contains(.finished(command: 7, nil)))
    }

    @Test("counts unreadable messages")
    func unreadable() {
        var talk = Talk()
        _ = talk.join()
        #expect(talk.receive("nonsense") == [.unreadable] && talk.receive("{}") == [])
    }

    @Test("reads identity, configuration and status")
    func join() throws {
        var talk = Talk()
        #expect(talk.session.started(now: .zero) == [.output(.identify)])
        #expect(talk.identify() == [.output(.open)])
        #expect(Self.calls(talk.receive(.opened)) == ["1 Shelly.GetConfig "])
        let configuration = #"{"id": 1, "result": {"sys": {"device": {"name": "Desk"}}, "light:0": {"name": null}}}"#
        #expect(Self.calls(talk.receive(configuration)) == ["2 Shelly.GetStatus "])
        let events = talk.receive(#"{"id": 2, "result": {"light:0": {"output": true, "brightness": 40}}}"#)
        #expect(events.first == .identified("a8032abe54dc"))
        let lights = try #require(events.lights())
        #expect(lights.map(\.id) == [Self.light] && lights.map(\.name) == ["Desk"])
        #expect(events.reports() == [LightReport(on: true, brightness: 40, reachable: true)])
    }

    @Test(
        "rejects unusable devices with a reason",
        arguments: [
            (#"{"type": "SHBDUO-1", "mac": "A8032ABE54DC", "auth": false}"#, 200, "first-generation"),
            (identity, 404, "isn't a Shelly device"), ("{}", 200, "isn't a Shelly device"),
            ("?", 200, "isn't a Shelly device"),
            (#"{"mac": "A8032ABE54DC", "gen": 2, "auth_en": true}"#, 200, "requires a password"),
        ])
    func unusable(text: String, status: Int, reason: String) {
        var talk = Talk()
        switch talk.identify(text, status: status).first {
        case .failed(.unusable(let said))?, .failed(.unauthorized(let said))?: #expect(said.contains(reason))
        default: Issue.record("the device isn't rejected")
        }
    }

    @Test(
        "treats a bad first answer as a temporary failure",
        arguments: [(503, ""), (200, ""), (200, #"{"name": "Shelf", "mac": "A8032"#)])
    func badStart(status: Int, text: String) {
        var talk = Talk()
        guard case .failed(.unreachable)? = talk.identify(text, status: status).first else {
            Issue.record("the failure isn't temporary")
            return
        }
    }

    @Test("treats an error of the first call as a temporary failure")
    func passingError() {
        var talk = Talk()
        _ = talk.identify()
        _ = talk.receive(.opened)
        #expect(
            talk.receive(#"{"id": 1, "error": {"code": -114, "message": "unavailable"}}"#)
                == [.failed(.unreachable("it answered with error -114"))])
    }

    @Test("shows relays that switch lights, or all relays on request", arguments: [false, true])
    func relays(switches: Bool) throws {
        var talk = Talk(ShellyOptions(switches: switches))
        let events = talk.join(
            #""switch:0": {}, "switch:1": {"name": "Pump"}"#,
            sys: #"{"ui_data": {"consumption_types": ["Lights", "other"]}}"#)
        let lights = try #require(events.lights())
        #expect(lights.map(\.kind) == (switches ? [.light, .switch] : [.light]))
        #expect(lights.allSatisfy { $0.capabilities == LightCapabilities() })
    }

    @Test("shows a cover that the configuration names as a garage door, regardless of the case of its id")
    func garageDoor() throws {
        var talk = Talk(ShellyOptions(garageDoors: ["A8032ABE54DC/cover:0"]))
        let events = talk.join(#""cover:0": {}, "cover:1": {}"#, status: #""cover:0": {"state": "closed"}"#)
        #expect(try #require(events.lights()).map(\.kind) == [.garageDoor, .cover])
    }

    @Test("merges partial changes")
    func changes() {
        var talk = Talk()
        _ = talk.join()
        let told = talk.receive(#"{"method": "NotifyStatus", "params": {"ts": 1, "light:0": {"brightness": 70}}}"#)
        #expect(told.reports() == [LightReport(on: true, brightness: 70, reachable: true)])
        let fading = talk.receive(
            #"{"method": "NotifyStatus", "params": {"light:0": {"transition": {"target": {"output": false}}}}}"#)
        #expect(fading.reports().first?.on == false)
        #expect(talk.receive(#"{"method": "NotifyStatus", "id": 3, "params": 7}"#).count == 1)
    }

    @Test("reads a changed configuration and keeps the state")
    func renamed() {
        var talk = Talk()
        _ = talk.join()
        let told = talk.receive(#"{"method": "NotifyEvent", "params": {"events": [{"event": "config_changed"}]}}"#)
        #expect(Self.calls(told) == ["3 Shelly.GetConfig "])
        _ = talk.receive(#"{"id": 3, "result": {"sys": {}, "light:0": {"name": "Hall"}}}"#)
        let events = talk.receive(#"{"id": 4, "result": {}}"#)
        #expect(events.lights()?.map(\.name) == ["Hall"] && events.reports().first?.brightness == 40)
    }

    @Test("sends one call at a time, commands before queries, and a status query last")
    func oneAtATime() throws {
        var talk = Talk()
        _ = talk.join()
        #expect(Self.calls(talk.pass(.seconds(20))) == ["3 Shelly.GetStatus "])
        #expect(try talk.order(LightCommand(on: true), 7) == [])
        #expect(try talk.order(LightCommand(brightness: 10), 8) == [])
        #expect(Self.calls(talk.receive(#"{"id": 3, "result": {}}"#)) == [#"4 Light.Set {"id":0,"on":true}"#])
        let events = talk.receive(#"{"id": 4, "result": null}"#)
        #expect(events.first == .finished(command: 7, nil))
        #expect(Self.calls(events) == [#"5 Light.Set {"id":0,"brightness":10}"#])
        _ = talk.receive(#"{"id": 5, "result": null}"#)
        #expect(Self.calls(talk.pass(.seconds(1))) == ["6 Shelly.GetStatus "])
    }

    @Test(
        "reports a refused command",
        arguments: [(-108, LightError.busy), (-103, .refused("the device answered with error -103"))])
    func refused(code: Int, error: LightError) throws {
        var talk = Talk()
        _ = talk.join()
        _ = try talk.order(LightCommand(on: false), 7)
        let answer = #"{"id": 3, "error": {"code": \#(code), "message": "secret"}}"#
        #expect(talk.receive(answer) == [.finished(command: 7, error)])
        #expect(throws: LightError.unknownLight) {
            try talk.session.apply(LightCommand(on: true), to: "other", number: 8, now: .zero)
        }
    }

    @Test("ends the connection after a missing answer")
    func silent() throws {
        var talk = Talk()
        _ = talk.join()
        _ = try talk.order(LightCommand(on: false), 7)
        #expect(talk.pass(.seconds(4)) == [])
        #expect(talk.pass(.seconds(1)) == [.failed(.unreachable("no answer in time"))])
        #expect(talk.receive(.closed(.timedOut)) == [.failed(.unreachable("no answer in time"))])
    }

    @Test("drops a command that is canceled before its turn")
    func cancelled() throws {
        var talk = Talk()
        _ = talk.join()
        _ = talk.pass(.seconds(20))
        _ = try talk.order(LightCommand(on: true), 7)
        talk.session.cancelled(command: 7)
        #expect(Self.calls(talk.receive(#"{"id": 3, "result": {}}"#)) == [])
    }

    @Test("identifies a light and restores it, and doesn't switch a relay")
    func identification() throws {
        var talk = Talk()
        _ = talk.join()
        let begin = try talk.session.identify(Self.light, number: 7, now: talk.now)
        #expect(Self.calls(begin) == [#"3 Light.Set {"id":0,"on":false,"transition_duration":0.5}"#])
        #expect(
            talk.receive(#"{"method": "NotifyStatus", "params": {"light:0": {"output": false}}}"#).reports() == [])
        _ = talk.receive(#"{"id": 3, "result": null}"#)
        #expect(
            Self.calls(talk.pass(.seconds(1))).first == #"4 Light.Set {"id":0,"on":true,"transition_duration":0.5}"#)

        var other = Talk(ShellyOptions(switches: true))
        _ = other.join(#""switch:0": {}"#)
        let done = try other.session.identify("a8032abe54dc/switch:0", number: 7, now: other.now)
        #expect(done == [.finished(command: 7, nil)])
    }

    @Test("answers challenges, also after the nonce expires, and treats a repeated challenge as a wrong password")
    func challenges() throws {
        var talk = Talk(ShellyOptions(passwordFile: "/etc/shelly"))
        _ = talk.session.started(now: .zero)
        #expect(talk.identify(#"{"mac": "A8032ABE54DC", "gen": 2, "auth_en": true}"#) == [.output(.open)])
        _ = talk.receive(.opened)
        func counts(_ events: [Event]) -> [Int?] {
            events.compactMap { event in
                guard case .output(.call(let call)) = event else { return nil }
                return .some(call.challenge?.answer(password: "p", clientNonce: "c")["nc"]?.int)
            }
        }
        let question = #"{"code": 401, "message": "\#(Self.challenge)"}"#
        #expect(counts(talk.receive(#"{"id": 1, "error": \#(question)}"#)) == [1])
        #expect(counts(talk.receive(#"{"id": 2, "result": {"sys": {}, "light:0": {}}}"#)) == [2])
        #expect(counts(talk.receive(#"{"id": 3, "error": \#(question)}"#)) == [1])
        let stale = question.replacing(#"\"nc\": 1"#, with: #"\"nc\": 1, \"stale\": true"#)
        #expect(counts(talk.receive(#"{"id": 4, "error": \#(stale)}"#)) == [1])
        guard case .failed(.unauthorized(let said))? = talk.receive(#"{"id": 5, "error": \#(question)}"#).first else {
            Issue.record("the session doesn't fail")
            return
        }
        #expect(said == "dimmer rejected the password in /etc/shelly; correct the password")
    }

    /// Returns a session that has answered a challenge and knows its light.
    ///
    /// Its next call has the number 4.
    static func loggedIn() -> Talk {
        var talk = Talk(ShellyOptions(passwordFile: "/etc/shelly"))
        _ = talk.session.started(now: .zero)
        _ = talk.identify(#"{"mac": "A8032ABE54DC", "gen": 2, "auth_en": true}"#)
        _ = talk.receive(.opened)
        _ = talk.receive(#"{"id": 1, "error": {"code": 401, "message": "\#(challenge)"}}"#)
        _ = talk.receive(#"{"id": 2, "result": {"sys": {}, "light:0": {}}}"#)
        _ = talk.receive(#"{"id": 3, "result": {"light:0": {"output": true, "brightness": 40}}}"#)
        return talk
    }

    static let tooMany = #"{"code": 429, "message": "Too many failed authentication attempts"}"#

    @Test("replaces a nonce that firmware 2.0 has forgotten, and repeats the command")
    func forgottenNonce() throws {
        var talk = Self.loggedIn()
        func auth(_ events: [Event]) -> [Bool] {
            events.compactMap { if case .output(.call(let call)) = $0 { call.challenge != nil } else { nil } }
        }
        #expect(auth(try talk.order(LightCommand(on: false), 7)) == [true])
        #expect(
            auth(talk.receive(#"{"id": 4, "error": \#(Self.tooMany)}"#)) == [false],
            "the call without authentication makes the device send a new challenge")
        let question = #"{"code": 401, "message": "\#(Self.challenge)"}"#
        #expect(auth(talk.receive(#"{"id": 5, "error": \#(question)}"#)) == [true])
        #expect(talk.receive(#"{"id": 6, "result": {"was_on": true}}"#) == [.finished(command: 7, nil)])
    }

    @Test("reports a device without free nonces as busy")
    func noNonce() throws {
        var talk = Self.loggedIn()
        _ = try talk.order(LightCommand(on: false), 7)
        _ = talk.receive(#"{"id": 4, "error": \#(Self.tooMany)}"#)
        #expect(talk.receive(#"{"id": 5, "error": \#(Self.tooMany)}"#) == [.finished(command: 7, .busy)])
        #expect(Self.calls(talk.pass(.seconds(20))).count == 1)
        _ = talk.receive(#"{"id": 6, "error": \#(Self.tooMany)}"#)
        #expect(talk.receive(#"{"id": 7, "error": \#(Self.tooMany)}"#) == [])
        #expect(Self.calls(talk.pass(.seconds(20))).count == 1)
    }

    @Test("computes the digest of RFC 7616")
    func digest() throws {
        let text = #"{"nonce": 1625038762, "nc": 1, "realm": "shellypro4pm-f008d1d8b8b8", "algorithm": "SHA-256"}"#
        let challenge = try #require(ShellyChallenge(text))
        let call = ShellyCall(number: 3, method: "Shelly.GetStatus", challenge: challenge)
        let json = try JSONValue(parsing: call.encoded(password: "secret", clientNonce: "abc"))
        #expect(json["auth"]?["response"]?.string == "9507f16106a73cacd4119f5b59589f17723abf89dd287a36c3a7e327bd04e858")
        #expect(json["auth"]?["nonce"]?.int == 1_625_038_762 && json["auth"]?["username"]?.string == "admin")
        #expect(ShellyChallenge(#"{"nonce": 1, "realm": "r", "algorithm": "MD5"}"#) == nil)
        #expect(
            ShellyCall(number: 1, method: "m").encoded(password: "secret", clientNonce: "")
                == Array(#"{"id":1,"src":"lamplighter","method":"m"}"#.utf8))
    }

    // MARK: Buttons

    /// The presses among the events: `light button press`.
    private static func presses(_ events: [Event]) -> [String] {
        events.flatMap { event -> [String] in
            guard case .occurred(let id, let values) = event else { return [] }
            return values.map {
                "\(id) \($0.property.function ?? "") \($0.value.flatMap(ButtonPress.init)?.rawValue ?? "?")"
            }
        }
    }

    /// The events are those of aioshelly's constants for devices of the second generation.
    @Test("adds push buttons to their outputs, and reports each press once")
    func buttons() throws {
        var talk = Talk()
        let events = talk.join(
            #""light:0": {"name": null}, "input:0": {"id": 0, "name": "Door", "type": "button"}, "input:1": {"type": "switch"}"#
        )
        let light = try #require(events.lights()?.first)
        #expect(light.id == Self.light && light.buttons.map(\.name) == ["Door", "Door Triple"])
        #expect(light.buttons.map(\.presses) == [[.single, .double, .long], [.single]])
        let table = [
            ("single_push", ["input:0 single"]), ("double_push", ["input:0 double"]), ("long_push", ["input:0 long"]),
            ("triple_push", ["input:0-triple single"]), ("btn_down", []), ("btn_up", []),
        ]
        for (name, press) in table {
            let said = talk.receive(
                #"{"method": "NotifyEvent", "params": {"events": [{"component": "input:0", "id": 0, "event": "\#(name)"}]}}"#
            )
            #expect(Self.presses(said) == press.map { "\(Self.light) \($0)" })
        }
        // The status of an input isn't a press.
        #expect(
            Self.presses(talk.receive(#"{"method": "NotifyStatus", "params": {"input:0": {"id": 0, "state": null}}}"#))
                .isEmpty)
        #expect(
            Self.presses(
                talk.receive(
                    #"{"method": "NotifyEvent", "params": {"events": [7, {"component": "input:1", "event": "single_push"}]}}"#
                )
            ).isEmpty)
    }

    @Test("shows the buttons of a device without outputs as an accessory")
    func remote() throws {
        var talk = Talk()
        let events = talk.join(#""input:0": {"type": "button"}, "input:1": {"type": "button"}"#, status: #""sys": {}"#)
        let remote = try #require(events.lights()?.first)
        #expect(remote.id == "a8032abe54dc/buttons" && remote.kind == .button && remote.name == "Shelf")
        #expect(remote.buttons.map(\.id) == ["input:0", "input:0-triple", "input:1", "input:1-triple"])
        #expect(events.contains(.report(remote.id, LightReport(reachable: true))))
    }

    // MARK: Sensors

    private static let probes =
        #""light:0": {}, "temperature:100": {"name": "Cellar"}, "humidity:100": {}, "temperature:101": {}, "devicepower:0": {}"#

    private static func sensors(_ events: [Event]) -> [LightDescription] {
        (events.lights() ?? []).filter { $0.kind == .sensor }
    }

    @Test("combines readings with the same number into one sensor, and skips a battery alone")
    func sensors() {
        var talk = Talk()
        let events = talk.join(
            Self.probes,
            status: #""temperature:100": {"tC": 12.5}, "humidity:100": {"rh": 61}, "temperature:101": {"tC": null}"#)
        let sensors = Self.sensors(events)
        #expect(sensors.map(\.id) == ["a8032abe54dc/sensor:100", "a8032abe54dc/sensor:101"])
        #expect(sensors.map(\.name) == ["Cellar", "Shelf Sensor 2"])
        #expect(sensors.map(\.capabilities) == [.sensor([.temperature, .humidity]), .sensor([.temperature])])
        let cellar = LightReport(readings: [.temperature: .number(12.5), .humidity: .number(61)], reachable: true)
        let other = LightReport(readings: [.temperature: .unknown], reachable: true)
        #expect(events.reports().suffix(2) == [cellar, other])
        let told = talk.receive(
            #"{"method": "NotifyStatus", "params": {"temperature:101": {"id": 101, "tC": -3.5, "tF": 25.7}}}"#)
        #expect(told.reports().last == LightReport(readings: [.temperature: .number(-3.5)], reachable: true))
        #expect(throws: LightError.unknownLight) {
            try talk.session.apply(LightCommand(on: true), to: "a8032abe54dc/sensor:100", number: 9, now: .zero)
        }
        // The readings are kept when the configuration is read again.
        _ = talk.receive(#"{"method": "NotifyEvent", "params": {"events": [{"event": "config_changed"}]}}"#)
        _ = talk.receive(#"{"id": 3, "result": {"sys": {}, "temperature:100": {}, "humidity:100": {}}}"#)
        #expect(talk.receive(#"{"id": 4, "result": {}}"#).reports() == [cellar])
    }

    @Test("adds the readings of its meter to each output that has a meter")
    func meters() throws {
        var talk = Talk(ShellyOptions(switches: true))
        let status =
            #""switch:0": {"output": true, "apower": 8.9, "voltage": 237.5, "current": 0.052,"#
            + #""aenergy": {"total": 6532.18}}, "switch:1": {"output": false}"#
        let events = talk.join(#""switch:0": {}, "switch:1": {}"#, status: status)
        let lights = try #require(events.lights())
        #expect(lights.map { $0.functions.flatMap(\.meterReadings).count } == [4, 0])
        let readings = try #require(events.reports().first).readings
        #expect(
            readings == [
                .power: .number(8.9), .voltage: .number(237.5), .current: .number(0.05), .energy: .number(6.53),
            ])
        let told = talk.receive(#"{"method": "NotifyStatus", "params": {"switch:0": {"apower": null}}}"#)
        #expect(told.reports().first?.readings[.power] == .unknown)
    }

    @Test("reads a meter without an output")
    func meterAlone() throws {
        var talk = Talk()
        let events = talk.join(
            #""em:0": {}, "emdata:0": {}"#,
            status: #""em:0": {"a_current": 1, "total_act_power": -2483.8}, "emdata:0": {"total_act": 1500}"#)
        #expect(events.lights()?.map(\.kind) == [.meter])
        let readings: [SensorReading: SensorValue] = [.power: .number(-2483.8), .energy: .number(1.5)]
        #expect(events.reports() == [LightReport(readings: readings, reachable: true)])
    }

    @Test(
        "reads the value of each component, or reports it as unknown",
        arguments: [
            ("temperature:0", #"{"tC": 21.4, "tF": 70.5}"#, [.temperature: .number(21.4)]),
            ("temperature:0", #"{"tC": "warm"}"#, [.temperature: .unknown]),
            ("temperature:0", #"{"errors": ["read"]}"#, [.temperature: .unknown]),
            ("humidity:0", #"{"rh": 140}"#, [.humidity: .number(100)]),
            ("illuminance:0", #"{"lux": 250, "illumination": "twilight"}"#, [.illuminance: .number(250)]),
            ("flood:0", #"{"alarm": true, "mute": false}"#, [.leak: .flag(true)]),
            ("flood:0", #"{"alarm": 1}"#, [.leak: .unknown]),
            ("smoke:0", #"{"alarm": false}"#, [.smoke: .flag(false)]),
        ] as [(String, String, [SensorReading: SensorValue])])
    func reading(key: String, status: String, readings: [SensorReading: SensorValue]) {
        var talk = Talk()
        let events = talk.join(#""\#(key)": {}"#, status: #""\#(key)": \#(status)"#)
        #expect(events.reports() == [LightReport(readings: readings, reachable: true)])
        #expect(Self.sensors(events).map(\.name) == ["Shelf"])
    }

    @Test("shows a battery once its level is known, and keeps it")
    func battery() {
        var talk = Talk()
        let components = #""temperature:0": {}, "devicepower:0": {}"#
        let power = #""devicepower:0": {"battery": {"V": null, "percent": null}, "external": {"present": true}}"#
        #expect(
            Self.sensors(talk.join(components, status: power)).map(\.capabilities) == [.sensor([.temperature])])
        let known = #"{"method": "NotifyStatus", "params": {"devicepower:0": {"battery": {"percent": 80}}}}"#
        let events = talk.receive(known)
        #expect(Self.sensors(events).map(\.capabilities) == [.sensor([.temperature, .battery])])
        #expect(events.reports().last?.readings[.battery] == .number(80))
        let unknown = #"{"method": "NotifyStatus", "params": {"devicepower:0": {"battery": {"percent": null}}}}"#
        let lost = talk.receive(unknown)
        #expect(Self.sensors(lost) == [] && lost.reports().last?.readings[.battery] == .unknown)
    }

    @Test("skips sleeping devices and invalid names, and limits the number of sensors")
    func noSensors() {
        var talk = Talk()
        let asleep = talk.join(
            #""temperature:0": {}"#, status: #""sys": {"wakeup_period": 7200}, "temperature:0": {"tC": 20}"#)
        #expect(asleep.contains(.lights([])) && asleep.reports() == [])
        for key in ["temperature", "temperature:", "temperature:00", "temperature:1000", "Temperature:0", "lux:0"] {
            var talk = Talk()
            #expect(talk.join(#""\#(key)": {}"#, status: #""\#(key)": {"tC": 20}"#).contains(.lights([])), "\(key)")
        }
        var many = Talk()
        let components = (100..<200).map { #""temperature:\#($0)": {}"# }.joined(separator: ", ")
        #expect(Self.sensors(many.join(components, status: "")).count == 16)
    }
}
