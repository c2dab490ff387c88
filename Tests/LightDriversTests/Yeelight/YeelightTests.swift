import BoundedJSON
import DeviceKit
import Discovery
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A session with a Yeelight device", .timeout)
struct YeelightTests {
    typealias Event = SessionEvent<YeelightSession.Output>

    static let light: LightID = "0000000002eb9f61"
    static let place = IPv4Endpoint(address: 0x0A00_0007, port: 1982)
    static let answer = [
        "HTTP/1.1 200 OK", "Cache-Control: max-age=3600", "Location: yeelight://10.0.0.7:55443",
        "id: 0x0000000002EB9F61", "model: color", "fw_ver: 18",
        "support: get_prop set_power set_bright set_ct_abx set_hsv set_scene", "name: ",
    ]

    static func identity(_ lines: [String] = answer) -> YeelightIdentity? {
        YeelightIdentity(Array((lines.joined(separator: "\r\n") + "\r\n").utf8), from: place)
    }

    struct Talk {
        var session = YeelightSession(name: "bulb", options: YeelightOptions(), now: .zero)
        var now = Duration.zero

        mutating func receive(_ text: String) -> [Event] { session.received(.line(Array(text.utf8)), now: now) }

        mutating func pass(_ time: Duration) -> [Event] {
            now += time
            return session.timePassed(now: now)
        }

        mutating func join(power: String = "on", mode: Int = 2) -> [Event] {
            _ = session.started(now: .zero)
            _ = session.received(.identity(identity()), now: now)
            return receive(
                #"{"id": 1, "result": ["\#(power)", "40", "\#(mode)", "4000", "65280", "120", "90"]}"# + "\r\n")
        }

        mutating func order(_ command: LightCommand, _ number: Int = 7) throws -> [Event] {
            try session.apply(command, to: light, number: number, now: now)
        }
    }

    static func sent(_ events: [Event]) -> [String] {
        events.compactMap { event in
            guard case .output(.send(let bytes)) = event, bytes.suffix(2) == [0x0D, 0x0A],
                let json = try? JSONValue(parsing: bytes)
            else { return nil }
            return "\(json["id"]?.int ?? 0) \(json["method"]?.string ?? "") \(json["params"]?.text ?? "")"
        }
    }

    // MARK: Messages

    @Test("reads identity and capabilities from the answer to a search")
    func search() throws {
        let identity = try #require(Self.identity())
        #expect(identity.id == "0000000002eb9f61" && identity.port == 55443 && identity.name == nil)
        #expect(
            identity.capabilities(of: .main)
                == LightCapabilities(brightness: true, color: true, temperature: 154...588, transition: true))
    }

    @Test(
        "rejects other messages, and answers with an invalid address or id",
        arguments: [
            (0, "NOTIFY * HTTP/1.1"), (2, "Location: yeelight://10.0.0.8:55443"),
            (2, "Location: yeelight://10.0.0.7:0"),
            (2, "Location: http://10.0.0.7:55443"), (3, "id: 02EB9F61"), (3, "id: 0x"), (3, "id: 0x00000000000000001"),
        ])
    func noAnswer(line: Int, text: String) {
        var lines = Self.answer
        lines[line] = text
        #expect(Self.identity(lines) == nil)
    }

    @Test("lists a device at its last address, and limits the length of the list")
    func neighbours() {
        var found = YeelightNeighbours()
        let bytes = Array(Self.answer.joined(separator: "\r\n").utf8)
        found.received(bytes, from: Self.place)
        let moved = Self.answer.map { $0.replacingOccurrences("10.0.0.7", "10.0.0.9") }
        found.received(
            Array(moved.joined(separator: "\r\n").utf8), from: IPv4Endpoint(address: 0x0A00_0009, port: 1982))
        #expect(found.services.map { $0.addresses.map(\.description) } == [["10.0.0.9"]])
        for number in 0..<200 {
            let lines = Self.answer.map { $0.replacingOccurrences("0x0000000002EB9F61", "0x\(number)") }
            found.received(Array(lines.joined(separator: "\r\n").utf8), from: Self.place)
        }
        #expect(found.services.count == 128)
    }

    // MARK: Conversations

    @Test("searches for a device, queries it and adds it")
    func join() {
        var talk = Talk()
        #expect(talk.session.started(now: .zero) == [.output(.identify)])
        let asked = talk.session.received(.identity(Self.identity()), now: .zero)
        #expect(Self.sent(asked) == [#"1 get_prop ["power","bright","color_mode","ct","rgb","hue","sat"]"#])
        let events = talk.receive(#"{"id": 1, "result": ["on", "40", "2", "4000", "0", "0", "0"]}"#)
        #expect(events.first == .identified(Self.light.rawValue))
        #expect(
            events.reports()
                == [LightReport(on: true, brightness: 40, color: .temperature(mired: 250), reachable: true)])
    }

    @Test("fails if a device doesn't answer the search, and rejects other devices")
    func unusable() {
        var talk = Talk()
        #expect(
            talk.session.received(.identity(nil), now: .zero)
                == [.failed(.unreachable("it doesn't answer the search"))])
        _ = talk.session.received(.identity(Self.identity()), now: .zero)
        guard case .failed(.unusable)? = talk.receive(#"{"id": 1, "result": ["ok"]}"#).first else {
            Issue.record("the device isn't rejected")
            return
        }
    }

    @Test("treats an error of a query as a temporary failure")
    func error() {
        var talk = Talk()
        _ = talk.session.received(.identity(Self.identity()), now: .zero)
        #expect(
            talk.receive(#"{"id": 1, "error": {"code": -1, "message": "general error"}}"#)
                == [.failed(.unreachable("the device answered with error -1"))])
    }

    @Test("reports the moonlight brightness of a ceiling light")
    func moonlight() {
        var talk = Talk()
        let lines = Self.answer.map { $0.hasPrefix("model") ? "model: ceiling1" : $0 }
        let asked = talk.session.received(.identity(Self.identity(lines)), now: .zero)
        #expect(Self.sent(asked).first?.hasSuffix(#""sat","active_mode","nl_br"]"#) == true)
        let events = talk.receive(#"{"id": 1, "result": ["on", "90", "2", "4000", "0", "0", "0", "1", "20"]}"#)
        #expect(events.reports().map(\.brightness) == [20])
        let brighter = talk.receive(#"{"method": "props", "params": {"nl_br": 35}}"#)
        #expect(brighter.reports().map(\.brightness) == [35])
        let daylight = talk.receive(#"{"method": "props", "params": {"active_mode": 0}}"#)
        #expect(daylight.reports().map(\.brightness) == [90])
    }

    @Test("reads changed values that are strings or numbers")
    func changes() {
        var talk = Talk()
        _ = talk.join()
        let told = talk.receive(#"{"method": "props", "params": {"bright": 70, "color_mode": "1", "rgb": "255"}}"#)
        #expect(
            told.reports()
                == [
                    LightReport(
                        on: true, brightness: 70, color: .hueSaturation(hue: 240, saturation: 100), reachable: true)
                ])
        #expect(
            talk.receive(#"{"method": "props", "params": {"bright": 0, "ct": "x"}}"#).reports().first?.brightness
                == 70)
        #expect(talk.receive("nonsense") == [.unreadable])
        #expect(talk.receive("{}").isEmpty && talk.receive(#"{"method": "props"}"#).isEmpty)
    }

    @Test("sends one request per attribute to a device that is on, and finishes the command after the last answer")
    func commands() throws {
        var talk = Talk()
        _ = talk.join()
        let command = LightCommand(
            on: true, brightness: 60, color: .temperature(mired: 100), transition: .milliseconds(10))
        #expect(Self.sent(try talk.order(command)) == [#"2 set_ct_abx [6500,"smooth",30]"#])
        let next = talk.receive(#"{"id": 2, "result": ["ok"]}"#)
        #expect(Self.sent(next) == [#"3 set_bright [60,"smooth",30]"#])
        let events = talk.receive(#"{"id": 3, "result": ["ok"]}"#)
        #expect(events.last == .finished(command: 7, nil))
        #expect(events.reports().first?.brightness == 60)
        #expect(
            Self.sent(try talk.order(LightCommand(on: false, transition: .zero))) == [
                #"4 set_power ["off","sudden",0]"#
            ])
    }

    @Test("sends power and color to a device that is off as one scene")
    func scene() throws {
        var talk = Talk()
        _ = talk.join(power: "off")
        let command = LightCommand(on: true, brightness: 60, color: .hueSaturation(hue: 359.7, saturation: 50))
        #expect(Self.sent(try talk.order(command)) == [#"2 set_scene ["hsv",0,50,60]"#])
    }

    @Test("holds back values for a device that is off until it is switched on")
    func wanted() throws {
        var talk = Talk()
        _ = talk.join(power: "off")
        let events = try talk.order(LightCommand(brightness: 15))
        #expect(Self.sent(events) == [] && events.last == .finished(command: 7, nil))
        #expect(events.reports().first?.brightness == 15)
        #expect(Self.sent(try talk.order(LightCommand(on: true))) == [#"2 set_power ["on","smooth",300]"#])
        #expect(Self.sent(talk.receive(#"{"id": 2, "result": ["ok"]}"#)) == [#"3 set_bright [15,"smooth",300]"#])
    }

    @Test("drops the held-back values when the device reports that it is on")
    func forgotten() throws {
        var talk = Talk()
        _ = talk.join(power: "off")
        _ = try talk.order(LightCommand(brightness: 15))
        let told = talk.receive(#"{"method": "props", "params": {"power": "on"}}"#)
        #expect(told.reports().first?.brightness == 40)
        #expect(try talk.order(LightCommand(on: true)).last == .finished(command: 7, nil))
    }

    @Test("sends at most sixty messages a minute")
    func quota() throws {
        var talk = Talk()
        _ = talk.join()
        var sent = 1
        var number = 1
        for command in 0..<200 {
            var events = try talk.order(LightCommand(brightness: command % 100 + 1), command)
            var waited = Duration.zero
            while Self.sent(events).isEmpty {
                let deadline = try #require(talk.session.deadline)
                waited += deadline - talk.now
                events = talk.pass(deadline - talk.now)
            }
            #expect(waited <= YeelightSession.interval * 2)
            number += 1
            sent += Self.sent(events).count
            guard talk.now < .seconds(60) else { break }
            let answer = talk.receive(#"{"id": \#(number), "result": ["ok"]}"#)
            sent += Self.sent(answer).count
            number += Self.sent(answer).count
            if !Self.sent(answer).isEmpty {
                _ = talk.receive(#"{"id": \#(number), "result": ["on", "1", "2", "4000", "0", "0", "0"]}"#)
            }
        }
        #expect((55...61).contains(sent), "\(sent)")
    }

    @Test(
        "reports a refused command, and drops its other requests",
        arguments: [
            ("client quota exceeded", LightError.busy), ("secret", .refused("the device answered with error -1")),
        ])
    func refused(message: String, error: LightError) throws {
        var talk = Talk()
        _ = talk.join()
        _ = try talk.order(LightCommand(brightness: 60, color: .temperature(mired: 250)))
        let events = talk.receive(#"{"id": 2, "error": {"code": -1, "message": "\#(message)"}}"#)
        #expect(events == [.finished(command: 7, error)])
        #expect(throws: LightError.unknownLight) {
            try talk.session.apply(LightCommand(on: true), to: "other", number: 8, now: .zero)
        }
    }

    @Test("pauses after the quota is exceeded")
    func exceeded() throws {
        var talk = Talk()
        _ = talk.join()
        _ = try talk.order(LightCommand(brightness: 60))
        _ = talk.receive(#"{"id": 2, "error": {"code": -1, "message": "client quota exceeded"}}"#)
        #expect(Self.sent(try talk.order(LightCommand(brightness: 61), 8)) == [])
        #expect(Self.sent(talk.pass(YeelightSession.interval)) == [#"3 set_bright [61,"smooth",300]"#])
    }

    @Test("polls, and ends the connection after a missing answer")
    func silent() {
        var talk = Talk()
        _ = talk.join()
        #expect(Self.sent(talk.pass(.seconds(30))).count == 1)
        #expect(talk.pass(.seconds(4)) == [])
        #expect(talk.pass(.seconds(1)) == [.failed(.unreachable("no answer in time"))])
    }

    @Test("identifies a light and restores it")
    func identification() throws {
        var talk = Talk()
        _ = talk.join()
        let begin = try talk.session.identify(Self.light, number: 7, now: talk.now)
        #expect(Self.sent(begin) == [#"2 set_power ["off","sudden",0]"#])
        #expect(talk.receive(#"{"method": "props", "params": {"power": "off"}}"#).isEmpty)
        #expect(talk.receive(#"{"id": 2, "result": ["ok"]}"#) == [.finished(command: 7, nil)])
        #expect(Self.sent(talk.pass(.seconds(1))) == [#"3 set_power ["on","sudden",0]"#])
    }

    // MARK: A background light

    static let ceiling: [String] = {
        var lines = answer
        lines[4] = "model: ceiling4"
        lines[6] =
            "support: get_prop set_power set_bright set_ct_abx set_scene bg_set_power bg_set_bright bg_set_ct_abx "
            + "bg_set_hsv bg_set_scene"
        return lines
    }()
    static let background: LightID = "0000000002eb9f61/background"

    /// Returns a session with a ceiling light, and the events of its first answer.
    ///
    /// The background light is on and shows a color.
    static func ceilingTalk(main: String = "on") -> (Talk, [Event]) {
        var talk = Talk()
        _ = talk.session.received(.identity(identity(ceiling)), now: .zero)
        let values =
            #""on","40","2","4000","","","","on","70","3","2700","255","120","90","\#(main)","0","""#
        let events = talk.receive(#"{"id": 1, "result": [\#(values)]}"#)
        return (talk, events)
    }

    @Test("shows a background light as a second light")
    func backgroundLight() throws {
        let (_, events) = Self.ceilingTalk()
        let lights = try #require(events.lights())
        #expect(lights.map(\.id) == [Self.light, Self.background])
        #expect(lights.map(\.name) == ["Yeelight ceiling4 9F61", "Yeelight ceiling4 9F61 Background"])
        #expect(
            lights.map(\.capabilities) == [
                LightCapabilities(brightness: true, temperature: 154...370, transition: true),
                LightCapabilities(brightness: true, color: true, temperature: 154...588, transition: true),
            ])
        #expect(
            events.reports() == [
                LightReport(on: true, brightness: 40, color: .temperature(mired: 250), reachable: true),
                LightReport(on: true, brightness: 70, color: .hueSaturation(hue: 120, saturation: 90), reachable: true),
            ])
    }

    @Test("uses the methods of each lamp, and keeps the lamps' states separate")
    func backgroundCommands() throws {
        var (talk, _) = Self.ceilingTalk()
        let off = try talk.session.apply(LightCommand(on: false), to: Self.background, number: 7, now: .zero)
        #expect(Self.sent(off) == [#"2 bg_set_power ["off","smooth",300]"#])
        let done = talk.receive(#"{"id": 2, "result": ["ok"]}"#)
        #expect(done.count == 2 && done.last == .finished(command: 7, nil))
        guard case .report(Self.background, let report)? = done.first else {
            Issue.record("\(done)")
            return
        }
        #expect(report.on == false)
        // The background light is now off, while the main lamp is on.
        let waits = try talk.session.apply(LightCommand(brightness: 15), to: Self.background, number: 8, now: .zero)
        #expect(Self.sent(waits) == [] && waits.last == .finished(command: 8, nil))
        #expect(Self.sent(try talk.order(LightCommand(brightness: 20), 9)) == [#"3 set_bright [20,"smooth",300]"#])
        _ = talk.receive(#"{"id": 3, "result": ["ok"]}"#)
        let color = LightCommand(on: true, color: .hueSaturation(hue: 30, saturation: 50))
        let on = try talk.session.apply(color, to: Self.background, number: 10, now: .zero)
        #expect(Self.sent(on) == [#"4 bg_set_scene ["hsv",30,50,15]"#])
        #expect(throws: LightError.unknownLight) {
            try talk.session.apply(color, to: "0000000002eb9f61/other", number: 11, now: .zero)
        }
    }

    @Test("sends a color to a background light without scenes")
    func backgroundWithoutScenes() throws {
        var talk = Talk()
        var lines = Self.ceiling
        lines[6] = lines[6].replacingOccurrences(" bg_set_scene", "")
        _ = talk.session.received(.identity(Self.identity(lines)), now: .zero)
        _ = talk.receive(
            #"{"id": 1, "result": ["on","40","2","4000","","","","off","70","2","2700","255","1","9","on","",""]}"#)
        let color = LightCommand(on: true, color: .temperature(mired: 588))
        let events = try talk.session.apply(color, to: Self.background, number: 7, now: .zero)
        #expect(Self.sent(events) == [#"2 bg_set_power ["on","smooth",300]"#])
        let next = talk.receive(#"{"id": 2, "result": ["ok"]}"#)
        #expect(Self.sent(next) == [#"3 bg_set_ct_abx [1700,"smooth",300]"#])
    }

    @Test("reads the main lamp's power from main_power, or from power if the firmware lacks that")
    func mainPower() {
        var (talk, events) = Self.ceilingTalk(main: "off")
        #expect(events.reports().map(\.on) == [false, true])
        #expect(
            talk.receive(#"{"method": "props", "params": {"bg_power": "off", "power": "on"}}"#).reports().map(\.on)
                == [false, false])
        #expect(
            talk.receive(#"{"method": "props", "params": {"main_power": "on"}}"#).reports().map(\.on)
                == [true, false])
        // Firmware that doesn't know the property returns an empty string.
        (talk, events) = Self.ceilingTalk(main: "")
        #expect(events.reports().map(\.on) == [true, true])
    }

    @Test("identifies each lamp separately")
    func backgroundIdentification() throws {
        var (talk, _) = Self.ceilingTalk()
        let begin = try talk.session.identify(Self.background, number: 7, now: talk.now)
        #expect(Self.sent(begin) == [#"2 bg_set_power ["off","sudden",0]"#])
        // The other light still reports its state.
        let told = talk.receive(#"{"method": "props", "params": {"bg_power": "off", "bright": 33}}"#)
        #expect(told.reports().map(\.brightness) == [33])
        _ = talk.receive(#"{"id": 2, "result": ["ok"]}"#)
        #expect(Self.sent(talk.pass(.seconds(1))) == [#"3 bg_set_power ["on","sudden",0]"#])
    }

    // MARK: End
}

extension String {
    fileprivate func replacingOccurrences(_ text: String, _ other: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }
}
