import BoundedJSON
import DeviceKit
import HAPModel
import LineRPC
import TestTimeouts
import Testing

@testable import LightPlugins

@Suite("PluginMessage and PluginInbox", .timeout)
struct PluginMessageTests {
    private func read(_ line: String) throws -> PluginMessage { try PluginMessage(parsing: Array(line.utf8)) }

    private func notification(_ method: String, _ params: String) throws -> PluginMessage {
        try read(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#)
    }

    @Test("reads a description, and uses the id as the name if the name is missing")
    func added() throws {
        #expect(
            try notification(
                "lights/added",
                """
                {"id": "a", "name": "A Lamp", "room": "Hall", "model": "M", "manufacturer": "Us", "serial": "1", "firmware": "2",
                 "kind": "outlet", "caps": {"dimmable": true, "hs": true, "ct": [153, 500], "transition": true}}
                """)
                == .added(
                    LightDescription(
                        id: "a", name: "A Lamp", kind: .outlet,
                        capabilities: LightCapabilities(
                            brightness: true, color: true, temperature: 153...500, transition: true),
                        manufacturer: "Us", model: "M", serialNumber: "1", firmware: "2", suggestedRoom: "Hall")))
        #expect(
            try notification("lights/added", #"{"id": "b", "later": 1}"#)
                == .added(LightDescription(id: "b", name: "b", kind: .light, capabilities: LightCapabilities())))
    }

    @Test("reads the capabilities of fans and sensors")
    func otherKinds() throws {
        #expect(
            try notification(
                "lights/added",
                #"{"id": "f", "kind": "fan", "caps": {"speed": true, "direction": true, "oscillation": true}}"#)
                == .added(
                    LightDescription(
                        id: "f", name: "f", kind: .fan,
                        capabilities: .fan(speed: true, direction: true, oscillation: true))))
        #expect(
            try notification(
                "lights/added", #"{"id": "s", "kind": "sensor", "caps": {"readings": ["motion", "battery"]}}"#)
                == .added(
                    LightDescription(id: "s", name: "s", kind: .sensor, capabilities: .sensor([.motion, .battery]))))
    }

    @Test(
        "reads a state whose values are within their limits",
        arguments: [
            (#"{"id":"a","on":true}"#, LightReport(on: true, reachable: true), nil),
            (#"{"id":"a","on":false,"brightness":0,"cause":7}"#, LightReport(on: false, reachable: true), 7),
            (#"{"id":"a","brightness":0.4,"cause":null}"#, LightReport(brightness: 1, reachable: true), nil),
            (#"{"id":"a","reachable":false}"#, LightReport(reachable: false), nil),
            (
                #"{"id":"a","color":{"hs":[360,50.5]}}"#,
                LightReport(color: .hueSaturation(hue: 0, saturation: 50.5), reachable: true), nil
            ),
            (#"{"id":"a","color":{"ct":370}}"#, LightReport(color: .temperature(mired: 370), reachable: true), nil),
            (
                #"{"id":"a","readings":{"motion":true,"temperature":-300,"humidity":null,"later":1}}"#,
                LightReport(
                    readings: [.motion: .flag(true), .temperature: .number(-270), .humidity: .unknown],
                    reachable: true), nil
            ),
        ] as [(String, LightReport, Int64?)])
    func state(params: String, report: LightReport, cause: Int64?) throws {
        #expect(try notification("lights/state", params) == .state("a", report, cause: cause))
    }

    @Test(
        "rejects a notification with invalid parameters, and names the reason",
        arguments: [
            ("lights/added", #"{}"#, "\"id\" must be", "lights/added"),
            ("lights/added", #"{"id": "a\n"}"#, "\"id\" must be", "lights/added"),
            ("lights/added", #"{"id": "a", "caps": {"ct": [500, 153]}}"#, "\"ct\" must be", "a"),
            ("lights/added", #"{"id": "a", "caps": {"ct": [153, "x", 500]}}"#, "\"ct\" must be", "a"),
            ("lights/added", #"{"id": "a", "kind": "fen"}"#, "\"kind\" must be", "a"),
            ("lights/added", #"{"id": "a", "kind": "sensor"}"#, "a sensor needs \"readings\"", "a"),
            (
                "lights/added", #"{"id": "a", "kind": "sensor", "caps": {"readings": ["noise"]}}"#,
                "\"readings\" must be a list with names from motion", "a"
            ),
            ("lights/state", #"{"id": "a", "readings": {"motion": 1}}"#, "\"motion\" must be true or false", "a"),
            ("lights/state", #"{"id": "a", "readings": {"battery": true}}"#, "\"battery\" must be a number", "a"),
            ("lights/state", #"{"id": "a", "direction": "up"}"#, "\"direction\" must be", "a"),
            ("lights/added", #"{"id": "a", "name": 5}"#, "\"name\" must be", "a"),
            ("lights/state", #"{"id": "a", "on": 1}"#, "\"on\" must be", "a"),
            ("lights/state", #"{"id": "a", "brightness": 101}"#, "\"brightness\" must be", "a"),
            ("lights/state", #"{"id": "a", "color": {"hs": [1]}}"#, "\"color\" must be", "a"),
            ("lights/state", #"{"id": "a", "color": {"hs": [-1, 1]}}"#, "\"color\" must be", "a"),
            ("lights/state", #"{"id": "a", "cause": "x"}"#, "\"cause\"", "a"),
            ("lights/removed", #"[]"#, "\"id\" must be", "lights/removed"),
        ])
    func refused(method: String, params: String, text: String, subject: String) throws {
        guard case .refused(let reason, subject) = try notification(method, params) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains(text))
    }

    @Test(
        "rejects lines that aren't messages",
        arguments: [
            "hello, world", "[]", "{}", #"{"id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":"a","result":{}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
        ])
    func violation(line: String) { #expect(throws: PluginMessage.Violation.self) { try read(line) } }

    @Test("rejects a line that exceeds the limit")
    func tooLong() {
        var reader = OutputReader()
        let line = [UInt8](repeating: 0x20, count: 64 << 10)
        #expect((0..<4).flatMap { _ in reader.received(line) } == [])
        #expect(reader.received([0x20]) == [.violation("it wrote a line of more than 262144 bytes")])
    }

    @Test("encodes only the attributes that a command has")
    func command() {
        let light = LightDescription(id: "a", name: "A")
        let command = LightCommand(
            on: true, brightness: 40, color: .hueSaturation(hue: 30, saturation: 80), transition: .milliseconds(400))
        #expect(
            PluginProtocol.version1.params(of: command, to: light, cause: 17).text
                == #"{"id":"a","on":true,"brightness":40,"color":{"hs":[30,80]},"transition":0.4,"cause":17}"#)
        let white = LightCommand(color: .temperature(mired: 250))
        #expect(
            PluginProtocol.version1.params(of: white, to: light, cause: 1).text
                == #"{"id":"a","color":{"ct":250},"cause":1}"#)
    }

    // MARK: Version 2

    @Test("reads functions with limits and ids, and takes the order and initial values from the device's kind")
    func device() throws {
        let fan = AccessoryFunction(
            .fanv2, [.active: .integer(0), .rotationSpeed: .float(75), .lockPhysicalControls: .integer(0)]
        ).with(.rotationSpeed) { ($0.maximum, $0.step) = (75, 25) }
        let button = AccessoryFunction(
            .statelessProgrammableSwitch, id: "left", [.programmableSwitchEvent: .integer(0), .name: .string("Left")]
        ).with(.programmableSwitchEvent) { $0.validValues = [0, 2] }
        var expected = LightDescription(
            id: "f", name: "Fan", kind: .fan, functions: [fan, button], model: "M")
        expected.fades = true
        #expect(
            try notification(
                "devices/added",
                """
                {"id": "f", "name": "Fan", "model": "M", "transition": true, "later": 1, "functions": [
                 {"service": "Fanv2", "characteristics":
                  {"LockPhysicalControls": {}, "RotationSpeed": {"maximum": 75, "step": 25}, "Active": {}}},
                 {"service": "StatelessProgrammableSwitch", "id": "left", "characteristics":
                  {"ProgrammableSwitchEvent": {"values": [2, 0]}, "Name": {"value": "Left"}}}]}
                """) == .added(expected))
    }

    @Test("reads a switch as a scene if its id begins with scene/ or siren/")
    func scenes() throws {
        for id in ["scene/relax", "siren/alarm", "relax"] {
            let json = #"{"service": "Switch", "id": "\#(id)", "characteristics": {"On": {}}}"#
            let function = AccessoryFunction(.switch, id: id, [.on: .bool(false)])
            let kind: LightKind = id.contains("/") ? .scene : .switch
            #expect(
                try notification("devices/added", #"{"id": "b", "name": "B", "functions": [\#(json)]}"#)
                    == .added(LightDescription(id: "b", name: "B", kind: kind, functions: [function])))
        }
    }

    @Test("reads covers, windows and doors, and encodes positions, angles and stops")
    func covers() throws {
        let blind = AccessoryFunction.cover(tilts: true, stops: true)
        let names = #""HoldPosition": {}, "TargetPosition": {}, "PositionState": {}, "CurrentPosition": {}"#
        let tilts = #""TargetHorizontalTiltAngle": {}, "CurrentHorizontalTiltAngle": {}, "#
        for (service, tilt, function) in [
            ("WindowCovering", tilts, blind), ("Window", "", .cover(.window, stops: true)),
            ("Door", "", .cover(.door, stops: true)),
        ] {
            let json = #"{"service": "\#(service)", "characteristics": {\#(tilt)\#(names)}}"#
            #expect(
                try notification("devices/added", #"{"id": "b", "name": "B", "functions": [\#(json)]}"#)
                    == .added(LightDescription(id: "b", name: "B", kind: .cover, functions: [function])))
        }
        var command = LightCommand()
        command.targetPosition = 40
        command.targetTilt = -90
        let light = LightDescription(id: "b", name: "B", kind: .cover, functions: [blind])
        #expect(
            PluginProtocol.version2.params(of: command, to: light, cause: 1).text
                == #"{"id":"b","values":{"TargetPosition":40,"TargetHorizontalTiltAngle":-90},"cause":1}"#)
        command = LightCommand()
        command.values[Property(.holdPosition)] = .bool(true)
        #expect(
            PluginProtocol.version2.params(of: command, to: light, cause: 2).text
                == #"{"id":"b","values":{"HoldPosition":true},"cause":2}"#)
    }

    @Test("reads a lock, puts its target state first, and encodes a command with a target state")
    func locks() throws {
        let json = #"{"service": "LockMechanism", "characteristics": {"LockCurrentState": {}, "LockTargetState": {}}}"#
        let lock = LightDescription(id: "l", name: "L", kind: .lock, functions: [.lock])
        #expect(
            try notification("devices/added", #"{"id": "l", "name": "L", "functions": [\#(json)]}"#) == .added(lock))
        var command = LightCommand()
        command.values[.lockTargetState] = .unsecured
        #expect(
            PluginProtocol.version2.params(of: command, to: lock, cause: 1).text
                == #"{"id":"l","values":{"LockTargetState":0},"cause":1}"#)
    }

    @Test("reads values and events by HAP's names")
    func values() throws {
        var report = LightReport(reachable: true)
        report.values[Property(.active, of: "left")] = .integer(1)
        report.values[.currentTemperature] = 21.5
        report.values[.motionDetected] = false
        report.values.setUnknown(Property(.currentRelativeHumidity))
        #expect(
            try notification(
                "devices/state",
                """
                {"id": "f", "values": {"Active#left": 1, "CurrentTemperature": 21.5, "MotionDetected": false,
                 "CurrentRelativeHumidity": null}, "cause": 3}
                """) == .state("f", report, cause: 3))
        var press = PropertyValues()
        press[.programmableSwitchEvent] = 0
        #expect(
            try notification("devices/event", #"{"id": "f", "values": {"ProgrammableSwitchEvent": 0}}"#)
                == .event("f", press))
        #expect(try notification("devices/removed", #"{"id": "f"}"#) == .removed("f"))
        #expect(try notification("devices/moved", #"{"id": "f"}"#) == .unknown(method: "devices/moved"))
    }

    @Test(
        "rejects functions that HAP or this version doesn't have, and names the field",
        arguments: [
            (#"5"#, "\"functions\" must be a list of 1 to 16"),
            (#"[]"#, "\"functions\" must be a list of 1 to 16"),
            ("[\(String(repeating: "{},", count: 16)){}]", "\"functions\" must be a list of 1 to 16"),
            (#"[5]"#, "\"service\" must be"),
            (#"[{"service": "Fam"}]"#, "in HAP's catalog, not \"Fam\""),
            (#"[{"service": "AccessoryInformation", "characteristics": {}}]"#, "not \"AccessoryInformation\""),
            (#"[{"service": "Fanv2"}]"#, "\"characteristics\" of Fanv2"),
            (#"[{"service": "Fanv2", "characteristics": {"Speed": {}}}]"#, "has no characteristic \"Speed\""),
            (#"[{"service": "Fanv2", "characteristics": {"Brightness": {}}}]"#, "has no characteristic \"Brightness\""),
            (#"[{"service": "Fanv2", "characteristics": {"Active": {}, "Active": {}}}]"#, "has it twice"),
            (#"[{"service": "Fanv2", "characteristics": {"Active": 1}}]"#, "Active of Fanv2: it must be an object"),
            (#"[{"service": "Fanv2", "characteristics": {"RotationSpeed": {}}}]"#, "Fanv2 needs Active"),
            (#"[{"service": "Lightbulb", "characteristics": {"On": {}, "Hue": {}}}]"#, "must be used together"),
            (#"[{"service": "Speaker", "characteristics": {"Mute": {}}}]"#, "must be one of"),
            (
                #"[{"service": "Fanv2", "id": "", "characteristics": {"Active": {}}}]"#,
                "\"id\" of Fanv2 must be 1 to 255 bytes"
            ),
            (
                """
                [{"service": "Fanv2", "characteristics": {"Active": {}}},
                 {"service": "Valve", "characteristics": {"Active": {}, "InUse": {}, "ValveType": {}}}]
                """,
                "two functions have Active"
            ),
        ])
    func refusedFunctions(functions: String, text: String) throws { try refused(functions, text) }

    @Test(
        "rejects limits outside those of HAP",
        arguments: [
            (#"{"maximum": 101}"#, "RotationSpeed of Fanv2: \"maximum\" must be from 0 to 100"),
            (#"{"minimum": "0"}"#, "RotationSpeed of Fanv2: \"minimum\" must be from 0 to 100"),
            (#"{"minimum": 50, "maximum": 20}"#, "\"minimum\" is above"),
            (#"{"step": 0}"#, "RotationSpeed of Fanv2: \"step\" must be a number above 0"),
            (#"{"values": []}"#, "RotationSpeed of Fanv2: \"values\" must be"),
            (#"{"values": [1, 101]}"#, "RotationSpeed of Fanv2: \"values\" must be"),
            (#"{"maximum": 50, "value": 60}"#, "\"value\" must be within the limits"),
        ])
    func refusedLimits(limits: String, text: String) throws {
        try refused(#"[{"service": "Fanv2", "characteristics": {"Active": {}, "RotationSpeed": \#(limits)}}]"#, text)
    }

    private func refused(_ functions: String, _ text: String) throws {
        let params = #"{"id": "f", "functions": \#(functions)}"#
        guard case .refused(let reason, "f") = try notification("devices/added", params)
        else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains(text))
    }

    @Test(
        "rejects invalid values, and names them",
        arguments: [
            ("state", #"5"#, "\"values\" must be an object"),
            ("state", #"{"speed": 1}"#, "\"speed\" isn't the name"),
            ("state", #"{"": 1}"#, "\"\" isn't the name"),
            ("state", #"{"SetupEndpoints": "x"}"#, "\"SetupEndpoints\" isn't the name"),
            ("state", #"{"Active": true}"#, "\"Active\" must be a number"),
            ("state", #"{"On": 1}"#, "\"On\" must be true or false"),
            ("state", #"{"ProgrammableSwitchEvent": 0}"#, "\"ProgrammableSwitchEvent\" belongs in devices/event"),
            ("event", #"{"On": true}"#, "\"On\" belongs in devices/state"),
            ("event", #"{"ProgrammableSwitchEvent": null}"#, "\"ProgrammableSwitchEvent\" must be a number"),
            ("event", #"{}"#, "an event at least one"),
            (
                "state", "{\((0...256).map { "\"On#\($0)\":true" }.joined(separator: ","))}",
                "\"values\" must have at most 256"
            ),
        ])
    func refusedValues(method: String, values: String, text: String) throws {
        let params = #"{"id": "f", "values": \#(values)}"#
        guard case .refused(let reason, "f") = try notification("devices/\(method)", params)
        else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains(text))
    }

    // MARK: The inbox

    private func state(_ light: LightID, _ report: LightReport) -> PluginMessage { .state(light, report, cause: nil) }
    private func light(_ id: LightID, _ name: String = "L") -> PluginMessage {
        .added(LightDescription(id: id, name: name, kind: .light, capabilities: LightCapabilities()))
    }

    @Test("keeps only the newest description and state of each light, in this order, after 256 messages")
    func overflow() {
        var inbox = PluginInbox()
        for number in 0..<10_000 {
            inbox.add(light("a", "L\(number)"))
            inbox.add(state("a", LightReport(brightness: 1 + number % 100)))
            inbox.add(state("b", LightReport(on: number % 2 == 0)))
        }
        inbox.add(state("b", LightReport(brightness: 5)))
        // Add more messages, so that the last state is merged.
        for _ in 0..<300 { inbox.add(.answer(id: 1, .success([:]))) }
        let events = inbox.takeAll().filter { if case .message(.answer) = $0 { false } else { true } }
        #expect(
            events == [
                .message(light("a", "L9999")), .message(state("a", LightReport(brightness: 100))),
                .message(state("b", LightReport(on: false, brightness: 5))),
            ])
        #expect(inbox.takeAll() == [])
    }

    @Test("keeps every event, and merges states only up to the maximum number of values")
    func events() {
        var inbox = PluginInbox()
        var press = PropertyValues()
        press[.programmableSwitchEvent] = 0
        for number in 0..<200 {
            var report = LightReport()
            for place in 0..<100 { report.values[Property(.on, of: "\(number).\(place)")] = .bool(true) }
            inbox.add(.state("a", report, cause: nil))
            inbox.add(.event("a", press))
        }
        let events = inbox.takeAll()
        #expect(events.count { $0 == .message(.event("a", press)) } == 200)
        let counts = events.compactMap { event -> Int? in
            if case .message(.state(_, let report, _)) = event { Array(report.values).count } else { nil }
        }
        #expect(counts.allSatisfy { $0 <= 256 } && counts.reduce(0, +) == 20_000)
    }

    @Test("doesn't merge states across a removal")
    func removal() {
        var inbox = PluginInbox()
        let messages = [
            light("a"), state("a", LightReport(on: true)), .removed("a"), light("a", "New"),
            state("a", LightReport(on: false)),
        ]
        for message in messages { inbox.add(message) }
        for _ in 0..<260 { inbox.add(.unknown(method: "x")) }
        #expect(Array(inbox.takeAll().prefix(5)) == messages.map { .message($0) })
    }

    @Test("ends a plugin that sends more messages than can be kept")
    func full() {
        var inbox = PluginInbox()
        for _ in 0..<10_000 { inbox.add(.unknown(method: "x")) }
        let events = inbox.takeAll()
        #expect(events.count == 514)
        #expect(events.last == .violation("it wrote more messages than the bridge can process"))
    }
}
