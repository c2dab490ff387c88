import BoundedJSON
import DeviceKit
import Discovery
import HAPModel
import HTTPKit
import TestTimeouts
import Testing

@testable import LightDrivers

/// The messages are shortened from Shelly's documentation and aioshelly's recordings.
@Suite("A session with a first-generation Shelly device", .timeout)
struct ShellyGen1SessionTests {
    typealias Event = SessionEvent<ShellyGen1Session.Output>

    static let mac = "a4cf12f45301"

    struct Talk {
        var session: ShellyGen1Session
        var now = Duration.zero
        var last = 0

        init(_ options: ShellyOptions = ShellyOptions(), kinds: Set<LightKind> = Set(LightKind.allCases)) {
            session = ShellyGen1Session(
                target: .configured(DeviceHost(host: "hall")), kinds: kinds, options: options, now: .zero)
        }

        mutating func note(_ events: [Event]) -> [Event] {
            for case .output(.request(let number, _, _)) in events { last = number }
            return events
        }

        /// Answers the last request.
        mutating func answer(_ text: String, status: Int = 200) -> [Event] {
            note(
                session.received(
                    .answer(number: last, HTTPClientResponse(status: status, body: Array(text.utf8))), now: now))
        }

        mutating func meet(_ text: String) -> [Event] {
            _ = note(session.started(now: now))
            return answer(text)
        }

        mutating func join(_ type: String, _ settings: String, _ status: String, auth: Bool = false) -> [Event] {
            _ = meet(
                #"{"type": "\#(type)", "mac": "A4CF12F45301", "auth": \#(auth), "fw": "20230913-112234/v1.14.0-gcb"}"#)
            _ = answer(#"{"device": {"type": "\#(type)", "hostname": "shelly-hall"}, "name": "Hall", \#(settings)}"#)
            return answer(Self.status(status))
        }

        static func status(_ text: String) -> String { #"{"mac": "A4CF12F45301", \#(text)}"# }

        mutating func pass(_ time: Duration) -> [Event] {
            now += time
            return note(session.timePassed(now: now))
        }

        mutating func poll(_ text: String) -> [Event] {
            _ = pass(.seconds(5))
            return answer(Self.status(text))
        }

        mutating func push() -> [Event] { note(session.received(.pushed, now: now)) }

        mutating func order(_ command: LightCommand, _ part: String, _ number: Int = 7) throws -> [Event] {
            note(try session.apply(command, to: LightID("\(mac)/\(part)"), number: number, now: now))
        }
    }

    static func paths(_ events: [Event]) -> [String] {
        events.compactMap { if case .output(.request(_, let request, _)) = $0 { request.path } else { nil } }
    }

    static let dimmer = (
        type: "SHDM-2",
        settings: #""mode": "white", "lights": [{"name": null, "ison": false, "btn_type": "one_button"}]"#,
        status: #""lights": [{"ison": true, "mode": "white", "brightness": 40, "transition": 0}], "cfg_changed_cnt": 0"#
    )

    static func dimmer(_ options: ShellyOptions = ShellyOptions()) -> Talk {
        var talk = Talk(options)
        _ = talk.join(dimmer.type, dimmer.settings, dimmer.status)
        return talk
    }

    // MARK: Joining

    @Test("reads identity, settings and status, and sends the password only if the device requires it")
    func join() throws {
        for auth in [false, true] {
            var talk = Talk(ShellyOptions(passwordFile: "/etc/shelly"))
            func request(_ number: Int, _ path: String, _ isProtected: Bool) -> Event {
                .output(.request(number: number, HTTPClientRequest(method: .get, path: path), isProtected: isProtected))
            }
            #expect(talk.note(talk.session.started(now: .zero)) == [request(1, "/shelly", false)])
            let identity =
                #"{"type": "SHDM-2", "mac": "A4CF12F45301", "auth": \#(auth), "fw": "2023/v1.14.0-gcb84623"}"#
            #expect(talk.answer(identity) == [request(2, "/settings", auth)])
            #expect(
                talk.answer(#"{"device": {}, "name": "Hall", \#(Self.dimmer.settings)}"#) == [
                    request(3, "/status", auth)
                ])
            let events = talk.answer(Talk.status(Self.dimmer.status))
            #expect(events.prefix(2) == [.identified(Self.mac), .output(.listen)])
            let light = try #require(events.lights()?.first)
            #expect(light.id == "a4cf12f45301/light:0" && light.name == "Hall" && light.kind == .light)
            #expect(light.model == "SHDM-2" && light.firmware == "1.14.0" && light.manufacturer == "Shelly")
            #expect(light.capabilities == LightCapabilities(brightness: true, transition: true))
            #expect(events.reports() == [LightReport(on: true, brightness: 40, reachable: true)])
        }
    }

    @Test(
        "rejects unusable devices with a reason",
        arguments: [
            (#"{"mac": "A4CF12F45301", "gen": 3, "app": "DimmerG3"}"#, 200, "shelly driver"),
            ("{}", 200, "isn't a Shelly device"),
            (#"{"mac": "A4CF12F45301"}"#, 200, "isn't a Shelly device"), ("<html>", 200, "isn't a Shelly device"),
            ("no", 404, "isn't a Shelly device"), ("", 503, "503"), (#"{"type": "SH"#, 200, "cut off"),
            (#"{"type": "SHSW-1", "mac": "A4CF12F45301", "auth": true}"#, 200, "requires a password"),
        ])
    func unusable(text: String, status: Int, reason: String) {
        var talk = Talk()
        _ = talk.note(talk.session.started(now: .zero))
        guard case .failed(let fault)? = talk.answer(text, status: status).first else {
            Issue.record("the device isn't rejected")
            return
        }
        #expect(fault.text.contains(reason))
    }

    @Test("skips a sleeping device with a warning, and a device of another driver without a warning")
    func unused() {
        let sleep = #"{"device": {"type": "SHHT-1"}, "sleep_mode": {"period": 12, "unit": "h"}}"#
        var talk = Talk()
        _ = talk.meet(#"{"type": "SHHT-1", "mac": "A4CF12F45301", "auth": false}"#)
        let events = talk.answer(sleep)
        guard case .warning(let text?)? = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(events.prefix(2) == [.identified(Self.mac), .lights([])] && text.contains("sleeps"))
        #expect(talk.session.deadline == nil && talk.push() == [])
        #expect(talk.session.announcedAgain(now: .zero) != [])
        let target = DeviceTarget.discovered(.init(name: "shellyplus1-a4cf12f45301", host: "x.local"))
        talk.session = ShellyGen1Session(target: target, kinds: [], options: ShellyOptions(), now: .zero)
        #expect(
            talk.meet(#"{"mac": "A4CF12F45301", "gen": 2}"#) == [.identified(Self.mac), .lights([]), .warning(nil)])
        #expect(talk.session.deadline == nil)
    }

    @Test(
        "recognizes devices by the names of their web servers",
        arguments: [
            ("shellyplug-s-DDEEFF", true, nil), ("ShellyVintage-AABBCCDDEEFF", true, "aabbccddeeff"),
            ("shelly", false, nil), ("shelly-printer", false, nil), ("printer-AABBCCDDEEFF", false, "aabbccddeeff"),
            ("", false, nil), ("shelly1-AABBCCDDEEFG", false, nil), ("shelly1-ÄÄÄÄÄÄ", false, nil),
        ])
    func names(name: String, isDevice: Bool, id: String?) {
        #expect(ShellyGen1Session.isDevice(named: name) == isDevice)
        #expect(
            ShellyGen1Session.id(of: .init(id: .init(name: name, host: ""), port: 80, txt: [:], addresses: [])) == id)
    }

    // MARK: Polls

    @Test("polls every 5 s, and at once after a packet, but not more often than once a second")
    func pushes() {
        var talk = Self.dimmer()
        #expect(talk.pass(.milliseconds(500)) == [])
        #expect(talk.push() == [])
        #expect(Self.paths(talk.pass(.milliseconds(500))) == ["/status"])
        // A packet during a poll causes another poll.
        #expect(talk.push() == [])
        #expect(talk.answer(Talk.status(Self.dimmer.status)).reports().count == 1)
        #expect(Self.paths(talk.pass(.seconds(1))) == ["/status"])
        _ = talk.answer(Talk.status(Self.dimmer.status))
        #expect(talk.pass(.milliseconds(4900)) == [])
        #expect(Self.paths(talk.push()) == ["/status"])
        _ = talk.answer(Talk.status(Self.dimmer.status))
        #expect(talk.pass(.milliseconds(4900)) == [] && Self.paths(talk.pass(.milliseconds(100))) == ["/status"])
    }

    @Test("reads the settings only once after a change")
    func changedSettings() {
        var talk = Self.dimmer()
        let changed = Self.dimmer.status.replacing(#"cnt": 0"#, with: #"cnt": 1"#)
        #expect(Self.paths(talk.poll(changed)) == [])
        #expect(Self.paths(talk.pass(.seconds(5))) == ["/settings"])
        let settings = #"{"device": {}, "name": "Den", \#(Self.dimmer.settings)}"#
        #expect(Self.paths(talk.answer(settings)) == ["/status"])
        let events = talk.answer(Talk.status(changed))
        #expect(events.lights()?.map(\.name) == ["Den"] && events.reports().count == 1)
        #expect(Self.paths(talk.pass(.seconds(5))) == ["/status"])
    }

    @Test("tolerates two unusable answers, and ends the session for other faults")
    func faults() {
        var talk = Self.dimmer()
        for _ in 0..<2 {
            _ = talk.pass(.seconds(5))
            #expect(talk.answer("", status: 503) == [])
        }
        _ = talk.pass(.seconds(5))
        #expect(talk.answer(#"{"mac"#) == [.failed(.unreachable("its answer is cut off"))])
        talk = Self.dimmer()
        _ = talk.pass(.seconds(5))
        #expect(
            talk.answer(#"{"mac": "001122334455"}"#)
                == [.failed(.unreachable("another device answers at its address"))])
        talk = Self.dimmer(ShellyOptions(passwordFile: "/etc/shelly"))
        _ = talk.pass(.seconds(5))
        #expect(
            talk.answer("", status: 401)
                == [.failed(.unauthorized("hall rejected the password in /etc/shelly; correct the password"))])
        talk = Self.dimmer()
        _ = talk.pass(.seconds(5))
        let gone = ShellyGen1Session.Input.noAnswer(number: talk.last, .timedOut)
        #expect(talk.session.received(gone, now: talk.now) == [.failed(.unreachable("no answer in time"))])
    }

    // MARK: Commands

    @Test("sends a command, reports the answer, and polls after a second")
    func command() throws {
        var talk = Self.dimmer()
        let sent = try talk.order(LightCommand(on: true, brightness: 70, transition: .seconds(9)), "light:0")
        #expect(Self.paths(sent) == ["/light/0?turn=on&brightness=70&transition=5000"])
        #expect(
            talk.answer(#"{"ison": true, "brightness": 70}"#) == [
                .report("a4cf12f45301/light:0", LightReport(on: true, brightness: 70, reachable: true)),
                .finished(command: 7, nil),
            ])
        #expect(Self.paths(talk.pass(.seconds(1))) == ["/status"])
        #expect(try Self.paths(talk.order(LightCommand(on: false), "light:0")) == [])
        #expect(Self.paths(talk.answer(Talk.status(Self.dimmer.status))) == ["/light/0?turn=off"])
        #expect(throws: LightError.unknownLight) { try talk.order(LightCommand(on: true), "relay:0") }
    }

    @Test(
        "reports a rejected command",
        arguments: [
            (404, LightError.refused("the device answered with status 404")), (503, .busy), (429, .busy),
        ])
    func rejected(status: Int, error: LightError) throws {
        var talk = Self.dimmer()
        _ = try talk.order(LightCommand(on: true), "light:0")
        #expect(talk.answer("Bad turn!", status: status) == [.finished(command: 7, error)])
    }

    @Test("identifies a light and restores it, and doesn't switch a relay")
    func identification() throws {
        var talk = Self.dimmer()
        let id: LightID = "a4cf12f45301/light:0"
        let begin = talk.note(try talk.session.identify(id, number: 7, now: talk.now))
        #expect(Self.paths(begin) == ["/light/0?turn=off&transition=0"])
        #expect(talk.answer(#"{"ison": false}"#) == [.finished(command: 7, nil)])
        #expect(Self.paths(talk.pass(.seconds(1))).first == "/light/0?turn=on&transition=0")
        #expect(talk.answer(#"{"ison": true}"#).reports().map(\.on) == [true])
        talk = Talk(ShellyOptions(switches: true))
        _ = talk.join("SHSW-1", #""relays": [{}]"#, #""relays": [{"ison": true}]"#)
        #expect(
            try talk.session.identify("a4cf12f45301/relay:0", number: 8, now: talk.now) == [.finished(command: 8, nil)])
    }

    // MARK: Lights

    struct Lamp: Sendable {
        var type: String
        var settings: String
        var status: String
        var report: LightReport
        var color: Bool
        var temperature: ClosedRange<Int>?
        var red: String
        var white: String
    }

    static let lamps = [
        Lamp(
            type: "SHRGBW2", settings: #""mode": "color", "lights": [{}]"#,
            status:
                #"{"ison": true, "mode": "color", "red": 255, "green": 0, "blue": 0, "white": 255, "gain": 29, "effect": 2}"#,
            report: LightReport(
                on: true, brightness: 29, color: .hueSaturation(hue: 0, saturation: 50), reachable: true),
            color: true, temperature: nil, red: "/color/0?gain=50&red=255&green=0&blue=0&white=0&effect=0",
            white: "/color/0?gain=50"),
        Lamp(
            type: "SHRGBW2", settings: #""mode": "white", "lights": [{"brightness": 50}]"#,
            status: #"{"ison": false, "mode": "white", "brightness": 50}"#,
            report: LightReport(on: false, brightness: 50, reachable: true), color: false, temperature: nil,
            red: "/white/0?brightness=50", white: "/white/0?brightness=50"),
        Lamp(
            type: "SHCB-1", settings: #""mode": "color", "transition": 0, "lights": [{}]"#,
            status:
                #"{"ison": true, "mode": "white", "red": 0, "green": 128, "blue": 255, "white": 0, "gain": 75, "temp": 4000, "brightness": 20, "effect": 0}"#,
            report: LightReport(on: true, brightness: 20, color: .temperature(mired: 250), reachable: true),
            color: true, temperature: 154...333,
            red: "/light/0?gain=50&brightness=50&mode=color&red=255&green=0&blue=0",
            white: "/light/0?gain=50&brightness=50&temp=3003"),
        Lamp(
            type: "SHBLB-1", settings: #""mode": "color", "lights": [{}]"#,
            status:
                #"{"ison": true, "mode": "color", "red": 255, "green": 0, "blue": 0, "white": 0, "gain": 75, "temp": 4000, "brightness": 20, "effect": 0}"#,
            report: LightReport(
                on: true, brightness: 75, color: .hueSaturation(hue: 0, saturation: 100), reachable: true),
            color: true, temperature: 154...333,
            red: "/light/0?gain=50&brightness=50&red=255&green=0&blue=0&white=0",
            white: "/light/0?gain=50&brightness=50&mode=white&temp=3003"),
        Lamp(
            type: "SHBDUO-1", settings: #""mode": "white", "lights": [{"brightness": 30, "white": 10, "temp": 2700}]"#,
            status: #"{"ison": true, "brightness": 30, "white": 10, "temp": 2700}"#,
            report: LightReport(on: true, brightness: 30, color: .temperature(mired: 370), reachable: true),
            color: false, temperature: 154...370, red: "/light/0?brightness=50",
            white: "/light/0?brightness=50&temp=3003"),
    ]

    @Test("reads and sets colors and whites", arguments: lamps)
    func colors(lamp: Lamp) throws {
        var talk = Talk()
        let events = talk.join(lamp.type, lamp.settings, #""lights": [\#(lamp.status)]"#)
        let light = try #require(events.lights()?.first)
        #expect(light.capabilities.color == lamp.color && light.capabilities.temperature == lamp.temperature)
        #expect(events.reports() == [lamp.report])
        let red = LightCommand(brightness: 50, color: .hueSaturation(hue: 0, saturation: 100))
        #expect(try Self.paths(talk.order(red, "light:0")) == [lamp.red])
        _ = talk.answer(lamp.status)
        let white = LightCommand(brightness: 50, color: .temperature(mired: 333))
        #expect(try Self.paths(talk.order(white, "light:0")) == [lamp.white])
    }

    @Test("shows the channels of a strip without colors as lights")
    func channels() {
        let lights = (0..<4).map { #"{"name": "\#($0 == 1 ? "Shelf" : "")", "brightness": 50}"# }.joined(
            separator: ", ")
        let states = Array(repeating: #"{"ison": true, "brightness": 50}"#, count: 4).joined(separator: ", ")
        var talk = Talk()
        let events = talk.join("SHRGBW2", #""mode": "white", "lights": [\#(lights)]"#, #""lights": [\#(states)]"#)
        #expect(events.lights()?.map(\.name) == ["Hall 1", "Shelf", "Hall 3", "Hall 4"] && events.reports().count == 4)
    }

    @Test("clamps values that are out of range")
    func hostile() {
        var talk = Talk()
        let events = talk.join(
            "SHCB-1", #""mode": 7, "lights": [{"transition": "x"}, 5]"#,
            #""lights": [{"ison": true, "mode": "color", "red": 1e300, "green": -1, "blue": 0, "gain": 1e300, "temp": 99999999999999999999, "effect": -9}], "inputs": [{"event_cnt": 1e300}, 5], "ext_temperature": [], "cfg_changed_cnt": {}"#
        )
        #expect(
            events.reports() == [
                LightReport(on: true, brightness: 100, color: .hueSaturation(hue: 0, saturation: 100), reachable: true)
            ])
        let many = Array(repeating: "{}", count: 50).joined(separator: ", ")
        talk = Talk(ShellyOptions(switches: true))
        #expect(talk.join("SHSW-44", #""relays": [\#(many)]"#, #""relays": [\#(many)]"#).lights()?.count == 8)
    }

    @Test(
        "adds the readings of an output's meter, and no readings if the device has no meter",
        arguments: [
            (#"{"power": 12.5, "is_valid": true, "total": 120000}"#, [.power: .number(12.5), .energy: .number(2)]),
            (#"{"power": 0, "is_valid": true}"#, [:]),
        ] as [(String, [SensorReading: SensorValue])])
    func meter(json: String, readings: [SensorReading: SensorValue]) {
        var talk = Talk(ShellyOptions(switches: true))
        let events = talk.join("SHPLG-S", #""relays": [{}]"#, #""relays": [{"ison": true}], "meters": [\#(json)]"#)
        #expect(Set(events.lights()?.first?.functions.flatMap(\.meterReadings) ?? []) == Set(readings.keys))
        #expect(events.reports().first?.readings == readings)
    }

    @Test("reads each channel of an energy meter")
    func energyMeter() {
        var talk = Talk()
        let meters =
            #"{"power": -3.5, "voltage": 231.2, "total": 1500, "is_valid": true}, {"power": 0, "is_valid": false}"#
        let events = talk.join("SHEM", #""relays": [{}]"#, #""relays": [{"ison": true}], "emeters": [\#(meters)]"#)
        #expect(events.lights()?.map(\.kind) == [.meter, .meter])
        #expect(events.lights()?.map(\.name) == ["Hall Meter 1", "Hall Meter 2"])
        #expect(
            events.reports().map(\.readings) == [
                [.power: .number(-3.5), .voltage: .number(231.2), .energy: .number(1.5)],
                [.power: .unknown, .energy: .unknown],
            ])
    }

    // MARK: Relays and rollers

    @Test("shows relays that switch lamps, or all relays on request", arguments: [false, true])
    func relays(switches: Bool) throws {
        let settings =
            #""mode": "relay", "relays": [{"name": "Lamp", "appliance_type": "Lights"}, {"name": "Pump"}], "rollers": [{}]"#
        let status = #""relays": [{"ison": true}, {"ison": false}], "rollers": [{"state": "stop"}], "tmp": {"tC": 60}"#
        var talk = Talk(ShellyOptions(switches: switches))
        let lights = try #require(talk.join("SHSW-25", settings, status).lights())
        #expect(lights.map(\.kind) == (switches ? [.light, .switch] : [.light]))
        #expect(lights.map(\.name) == (switches ? ["Lamp", "Pump"] : ["Lamp"]))
        #expect(lights.allSatisfy { $0.capabilities == LightCapabilities() })
        #expect(try Self.paths(talk.order(LightCommand(on: false), "relay:0")) == ["/relay/0?turn=off"])
        #expect(talk.answer(#"{"ison": false}"#).reports() == [LightReport(on: false, reachable: true)])
        talk = Talk(ShellyOptions(switches: true))
        let plug = talk.join("SHPLG-S", #""relays": [{"appliance_type": "TV"}]"#, #""relays": [{"ison": true}]"#)
        #expect(plug.lights()?.map(\.kind) == [.outlet])
    }

    private static func report(_ position: Int?, to target: Int? = nil, _ motion: CoverMotion?) -> LightReport {
        var report = LightReport(reachable: true)
        report.position = position
        report.targetPosition = target
        report.motion = motion
        return report
    }

    @Test(
        "reads a roller with and without positions",
        arguments: [
            (#""state": "stop", "current_pos": 40, "positioning": true"#, report(40, .stopped)),
            (#""state": "open", "current_pos": 40, "positioning": true"#, report(40, to: 100, .opening)),
            (#""state": "close", "current_pos": 101, "positioning": true"#, report(nil, to: 0, .closing)),
            (
                #""state": "stop", "current_pos": 101, "positioning": false, "last_direction": "close""#,
                report(0, .stopped)
            ),
            (
                #""state": "stop", "current_pos": 101, "positioning": false, "last_direction": "open""#,
                report(100, .stopped)
            ),
            (#""state": "open", "positioning": false"#, report(nil, .opening)),
            (#""state": "open", "calibrating": true"#, report(nil, nil)),
        ])
    func rollers(status: String, report: LightReport) throws {
        var talk = Talk()
        let events = talk.join(
            "SHSW-25", #""mode": "roller", "rollers": [{}], "relays": [{}]"#, #""rollers": [{\#(status)}]"#)
        let cover = try #require(events.lights()?.first)
        #expect(cover.kind == .cover && cover.functions == [.cover(stops: true)] && cover.name == "Hall")
        #expect(events.reports() == [report])
        let isMoving = report.motion != .stopped
        #expect(Self.paths(talk.pass(.seconds(1))) == (isMoving ? ["/status"] : []))
    }

    @Test("reads the power of a roller's motor")
    func rollerPower() {
        var talk = Talk()
        let events = talk.join(
            "SHSW-25", #""mode": "roller", "rollers": [{}]"#,
            #""rollers": [{"state": "open", "power": 120.5, "is_valid": true}], "meters": [{"total": 9}, {"total": 9}]"#
        )
        #expect(events.lights()?.first?.hasMeter == true)
        #expect(events.reports().last?.readings == [.power: .number(120.5)])
        let later = talk.poll(#""rollers": [{"state": "stop", "power": 0, "is_valid": false}]"#)
        #expect(later.reports().last?.readings == [.power: .unknown])
    }

    @Test("moves a roller, and only opens, closes or stops a roller without positions")
    func rollerCommands() throws {
        func command(_ percent: Int? = nil) -> LightCommand {
            var command = LightCommand()
            command.targetPosition = percent
            if percent == nil { command.values[Property(.holdPosition)] = .bool(true) }
            return command
        }
        let table: [(positions: Bool, percent: Int?, path: String)] = [
            (true, 40, "go=to_pos&roller_pos=40"), (true, nil, "go=stop"), (false, 90, "go=open"),
            (false, 10, "go=close"),
            (false, 50, "go=stop"),
        ]
        for (positions, percent, path) in table {
            var talk = Talk()
            _ = talk.join(
                "SHSW-25", #""mode": "roller", "rollers": [{"positioning": \#(positions)}]"#,
                #""rollers": [{"state": "stop", "current_pos": 0}]"#)
            #expect(try Self.paths(talk.order(command(percent), "roller:0")) == ["/roller/0?\(path)"])
        }
    }

    @Test("shows the position of a command while the roller moves to it, and otherwise the end of the movement")
    func rollerTarget() throws {
        var talk = Talk()
        let settings = #""mode": "roller", "rollers": [{"positioning": true}]"#
        _ = talk.join("SHSW-25", settings, #""rollers": [{"state": "stop", "current_pos": 10}]"#)
        var command = LightCommand()
        command.targetPosition = 40
        _ = try talk.order(command, "roller:0")
        let answer = #"{"state": "open", "current_pos": 10}"#
        #expect(talk.answer(answer).reports() == [Self.report(10, to: 40, .opening)])
        let steps: [(state: String, position: Int, report: LightReport)] = [
            ("open", 30, Self.report(30, to: 40, .opening)), ("close", 30, Self.report(30, to: 0, .closing)),
            ("stop", 20, Self.report(20, .stopped)), ("open", 25, Self.report(25, to: 100, .opening)),
        ]
        for (state, position, report) in steps {
            let events = talk.poll(#""rollers": [{"state": "\#(state)", "current_pos": \#(position)}]"#)
            #expect(events.reports() == [report])
        }
    }

    // MARK: Inputs

    private static func presses(_ events: [Event]) -> [String] {
        events.flatMap { event -> [String] in
            guard case .occurred(let id, let values) = event else { return [] }
            return values.map {
                "\(id) \($0.property.function ?? "") \($0.value.flatMap(ButtonPress.init)?.rawValue ?? "?")"
            }
        }
    }

    @Test("reports a press only when the counter has risen since the last poll")
    func presses() throws {
        func inputs(_ event: String, _ count: Int) -> String {
            #""inputs": [{"input": 0, "event": "\#(event)", "event_cnt": \#(count)}, {"input": 1, "event": "L", "event_cnt": \#(count)}]"#
        }
        var talk = Talk()
        let settings = #""inputs": [{"name": "Door", "btn_type": "momentary"}, {"btn_type": "toggle"}]"#
        let first = talk.join("SHIX3-1", settings, inputs("S", 5))
        let remote = try #require(first.lights()?.first)
        #expect(remote.id == "a4cf12f45301/buttons" && remote.kind == .button && Self.presses(first) == [])
        #expect(remote.buttons.map(\.name) == ["Door", "Door Triple"])
        #expect(remote.buttons.map(\.presses) == [[.single, .double, .long], [.single]])
        let steps: [(event: String, count: Int, presses: [String])] = [
            ("S", 5, []), ("S", 6, ["input:0 single"]), ("SS", 7, ["input:0 double"]),
            ("SSS", 9, ["input:0-triple single"]),
            ("L", 10, ["input:0 long"]), ("SL", 11, []), ("S", 0, []), ("S", 0, []), ("S", 1, ["input:0 single"]),
        ]
        for (event, count, presses) in steps {
            #expect(Self.presses(talk.poll(inputs(event, count))) == presses.map { "\(remote.id) \($0)" })
        }
        // The settings are read again without a press.
        talk.session = ShellyGen1Session(name: "hall", options: ShellyOptions(), now: .zero)
        #expect(Self.presses(talk.join("SHIX3-1", settings, inputs("S", 9))) == [])
    }

    @Test(
        "finds the button types in the settings of each kind of device",
        arguments: [
            ("SHSW-1", #""relays": [{"appliance_type": "light", "btn_type": "momentary"}]"#, ["input:0", "input:1"]),
            ("SHSW-1", #""relays": [{"appliance_type": "light", "btn_type": "detached"}]"#, ["input:0", "input:1"]),
            ("SHSW-1", #""relays": [{"appliance_type": "light", "btn_type": "edge"}]"#, []),
            (
                "SHSW-L", #""relays": [{"appliance_type": "light", "btn1_type": "toggle", "btn2_type": "momentary"}]"#,
                ["input:1"]
            ),
            (
                "SHSW-25", #""mode": "roller", "rollers": [{"button_type": "momentary"}], "relays": []"#,
                ["input:0", "input:1"]
            ),
            ("SHDM-2", #""lights": [{"btn_type": "momentary"}]"#, ["input:0", "input:1"]),
        ])
    func buttonTypes(type: String, settings: String, buttons: [String]) {
        var talk = Talk()
        let input = #"{"input": 0, "event": "", "event_cnt": 0}"#
        let events = talk.join(type, settings, #""inputs": [\#(input), \#(input)]"#)
        #expect(events.lights()?.count == 1 && events.lights()?.first?.buttons.map(\.id) == buttons)
        // An input that doesn't count has no events.
        talk = Talk()
        #expect(talk.join(type, settings, #""inputs": [{"input": 0}]"#).lights()?.first?.buttons == [])
    }

    // MARK: Sensors

    @Test(
        "reads the sensors of devices with mains power",
        arguments: [
            (
                #""ext_temperature": {"0": {"hwID": "28", "tC": 23.06, "tF": 73.51}}"#, "probe:0",
                [.temperature: .number(23.06)]
            ),
            (#""ext_temperature": {"1": {"tC": 999}}"#, "probe:1", [.temperature: .unknown]),
            (#""ext_humidity": {"0": {"hum": 140}}"#, "probe:0", [.humidity: .number(100)]),
            (#""flood": true, "bat": {"value": 95}"#, "sensor", [.leak: .flag(true), .battery: .number(95)]),
            (#""smoke": 1"#, "sensor", [.smoke: .unknown]),
            (#""gas_sensor": {"alarm_state": "none"}"#, "sensor", [.carbonMonoxide: .flag(false)]),
            (#""gas_sensor": {"alarm_state": "mild"}"#, "sensor", [.carbonMonoxide: .flag(true)]),
            (#""gas_sensor": {"alarm_state": "unknown"}"#, "sensor", [.carbonMonoxide: .unknown]),
            (#""sensor": {"state": "open", "is_valid": true}"#, "sensor", [.contact: .flag(false)]),
            (#""sensor": {"state": "unknown"}"#, "sensor", [.contact: .unknown]),
            (
                #""sensor": {"motion": true}, "lux": {"value": 12.5, "is_valid": "true"}"#, "sensor",
                [.motion: .flag(true), .illuminance: .number(12.5)]
            ),
            (
                #""motion": false, "tmp": {"value": 50, "units": "F"}"#, "sensor",
                [.motion: .flag(false), .temperature: .number(10)]
            ),
            (#""hum": {"value": 44, "is_valid": false}"#, "sensor", [.humidity: .unknown]),
        ] as [(String, String, [SensorReading: SensorValue])])
    func sensors(status: String, key: String, readings: [SensorReading: SensorValue]) {
        var talk = Talk()
        let events = talk.join("SHSEN-1", #""sensors": {}"#, status)
        #expect(events.lights()?.map(\.id) == [LightID("a4cf12f45301/\(key)")])
        #expect(events.lights()?.first?.capabilities == .sensor(Set(readings.keys)))
        #expect(events.reports() == [LightReport(readings: readings, reachable: true)])
        // A value that disappears becomes unknown.
        let later = talk.poll(#""relays": []"#)
        #expect(later.reports().first?.readings.values.allSatisfy { $0 == .unknown } == true)
    }

    @Test("shows no sensor for the temperature of the device itself, or a battery alone")
    func noSensors() {
        for status in [
            #""tmp": {"tC": 60.1, "is_valid": "true"}, "temperature": 60.1"#, #""bat": {"value": 5}"#,
            #""flood": null"#,
        ] {
            var talk = Talk()
            let shown = talk.join("SHSW-PM", #""relays": []"#, status).lights() ?? []
            #expect(shown.count == (status.contains("flood") ? 1 : 0))
        }
    }

    @Test("encodes the password for basic authentication")
    func password() {
        // The example of RFC 7617, section 2, with the user of these devices.
        #expect(ShellyGen1Connection.authorization("open sesame") == "Basic YWRtaW46b3BlbiBzZXNhbWU=")
    }
}
