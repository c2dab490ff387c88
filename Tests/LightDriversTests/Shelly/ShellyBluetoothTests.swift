import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// The messages are those of shelly-api-docs and of aioshelly's recordings.
@Suite("The Bluetooth devices of a Shelly device", .timeout)
struct ShellyBluetoothTests {
    private typealias Event = ShellySessionTests.Event

    private static func device(
        _ number: Int, _ address: String, model: Int, name: String = "null", status: String = #""battery": 90"#
    ) -> String {
        #"""
        {"key": "bthomedevice:\#(number)", "status": {"id": \#(number), "rssi": -58, \#(status)},
         "config": {"id": \#(number), "addr": "\#(address)", "name": \#(name)}, "attrs": {"model_id": \#(model)}}
        """#
    }

    private static func sensor(_ number: Int, _ address: String, _ object: Int, _ value: String) -> String {
        #"""
        {"key": "bthomesensor:\#(number)", "status": {"id": \#(number), "value": \#(value), "last_updated_ts": 1},
         "config": {"id": \#(number), "addr": "\#(address)", "name": null, "obj_id": \#(object), "idx": 0}}
        """#
    }

    private static let door = [
        device(
            200, "38:39:8F:74:B1:4F", model: 2, name: #""Back door""#, status: #""battery": 90, "fw_ver": "1.0.21""#),
        sensor(200, "38:39:8f:74:b1:4f", 45, "true"), sensor(201, "38:39:8f:74:b1:4f", 5, "117"),
        sensor(202, "38:39:8f:74:b1:4f", 63, "0.1"), sensor(203, "38:39:8f:74:b1:4f", 1, "90"),
    ]
    private static let motion = [
        device(201, "e8:e0:7e:d0:f9:89", model: 5), sensor(210, "e8:e0:7e:d0:f9:89", 33, "false"),
        sensor(211, "e8:e0:7e:d0:f9:89", 5, "174"),
    ]
    private static let climate = [
        device(202, "7c:c6:b6:00:00:01", model: 3), sensor(220, "7c:c6:b6:00:00:01", 46, "51"),
        sensor(221, "7c:c6:b6:00:00:01", 69, "21.4"),
    ]
    private static let button = [device(203, "0b:ae:01:00:00:0a", model: 1)]
    private static let remote = [device(204, "28:68:47:f0:12:c7", model: 7, name: #""Remote""#)]
    private static let valve = [
        #"""
        {"key": "blutrv:205", "status": {"id": 205, "target_C": 19, "current_C": 21, "pos": 0, "battery": 100},
         "config": {"id": 205, "addr": "aa:bb:cc:dd:ee:ff", "name": "Valve", "trv": "bthomedevice:205"}}
        """#, device(205, "aa:bb:cc:dd:ee:ff", model: 8, name: #""Valve""#),
        sensor(240, "aa:bb:cc:dd:ee:ff", 69, "19"),
    ]

    /// Connects to a gateway that has the given components.
    private static func joined(
        _ components: [String], kinds: Set<LightKind> = Set(LightKind.allCases)
    ) -> (talk: ShellySessionTests.Talk, events: [Event]) {
        var talk = ShellySessionTests.Talk()
        talk.session = ShellySession(
            target: .configured(DeviceHost(host: "gateway")), kinds: kinds, options: ShellyOptions(), now: .zero)
        _ = talk.session.started(now: .zero)
        _ = talk.identify()
        _ = talk.receive(.opened)
        _ = talk.receive(#"{"id": 1, "result": {"sys": {}, "bthome": {}}}"#)
        _ = talk.receive(
            #"{"id": 2, "result": {"components": [\#(components.joined(separator: ","))], "total": \#(components.count)}}"#
        )
        let events = talk.receive(#"{"id": 3, "result": {"sys": {}}}"#)
        return (talk, events)
    }

    @Test(
        "are separate accessories, identified by their addresses",
        arguments: [
            (door, "38398f74b14f", "Back door", LightKind.sensor, [.contact, .illuminance, .battery], []),
            (motion, "e8e07ed0f989", "Shelly BLU Motion D0F989", .sensor, [.motion, .illuminance, .battery], []),
            (climate, "7cc6b6000001", "Shelly BLU H&T 000001", .sensor, [.temperature, .humidity, .battery], []),
            (button, "0bae0100000a", "Shelly BLU Button1 00000A", .button, [.battery], ["Button", "Button Triple"]),
            (
                remote, "286847f012c7", "Remote", .button, [.battery],
                (1...4).flatMap { ["Button \($0)", "Button \($0) Triple"] }
            ),
        ] as [([String], String, String, LightKind, Set<SensorReading>, [String])])
    func accessories(
        components: [String], address: String, name: String, kind: LightKind, readings: Set<SensorReading>,
        buttons: [String]
    ) throws {
        let (_, events) = Self.joined(components)
        let light = try #require(events.lights()?.first)
        #expect(events.lights()?.count == 1 && light.id == LightID("a8032abe54dc/bluetooth:\(address)"))
        #expect(light.name == name && light.kind == kind && light.serialNumber == address)
        #expect(light.capabilities.readings == readings && light.buttons.map(\.name) == buttons)
    }

    @Test("report their values in the list and in changes")
    func values() throws {
        var (talk, events) = Self.joined(Self.door)
        #expect(
            events.reports() == [
                LightReport(
                    readings: [.contact: .flag(false), .illuminance: .number(117), .battery: .number(90)],
                    reachable: true)
            ])
        #expect(events.lights()?.first?.firmware == "1.0.21")
        events = talk.receive(
            #"""
            {"method": "NotifyStatus", "params": {"ts": 2, "bthomesensor:200": {"id": 200, "value": false},
             "bthomedevice:200": {"battery": 41}, "bthomesensor:201": {"value": null}}}
            """#)
        #expect(
            events.reports() == [
                LightReport(
                    readings: [.contact: .flag(true), .illuminance: .unknown, .battery: .number(41)], reachable: true)
            ])
    }

    private static func presses(_ events: [Event]) -> [String] {
        events.flatMap { event -> [String] in
            guard case .occurred(let id, let values) = event else { return [] }
            return values.map { "\(id) \($0.property.function ?? "") \($0.value?.number ?? -1)" }
        }
    }

    @Test(
        "report presses of their buttons",
        arguments: [
            (#""event": "single_push""#, "button:0 0.0"), (#""event": "double_push", "idx": 1"#, "button:1 1.0"),
            (#""event": "long_push", "idx": 3"#, "button:3 2.0"),
            (#""event": "triple_push", "idx": 0"#, "button:0-triple 0.0"),
            (#""event": "single_push", "idx": 4"#, nil), (#""event": "single_push", "idx": -1"#, nil),
            (#""event": "hold_press", "idx": 0"#, nil), (#""event": "ota_progress""#, nil), (#""idx": 0"#, nil),
        ] as [(String, String?)])
    func presses(event: String, press: String?) {
        var (talk, _) = Self.joined(Self.remote)
        let events = talk.receive(
            #"{"method": "NotifyEvent", "params": {"events": [{"component": "bthomedevice:204", \#(event), "ts": 1}]}}"#
        )
        #expect(Self.presses(events) == (press.map { ["a8032abe54dc/bluetooth:286847f012c7 \($0)"] } ?? []))
    }

    @Test("have no presses before they are listed, in a status, or if buttons aren't shown")
    func noPresses() {
        let event =
            #"{"method": "NotifyEvent", "params": {"events": [{"component": "bthomedevice:204", "event": "single_push"}]}}"#
        var talk = ShellySessionTests.Talk()
        _ = talk.session.started(now: .zero)
        _ = talk.identify()
        _ = talk.receive(.opened)
        #expect(talk.receive(event).isEmpty)
        var events = Self.joined(Self.remote + [Self.sensor(250, "28:68:47:f0:12:c7", 58, "1")]).events
        #expect(Self.presses(events).isEmpty)
        (talk, events) = Self.joined(Self.remote, kinds: [.light])
        #expect(events.lights()?.count == 1, "the bridge hides and counts it")
        #expect(Self.presses(talk.receive(event)).isEmpty)
    }

    @Test("are read in pages, before the accessories are listed, and again after a change")
    func pages() throws {
        var talk = ShellySessionTests.Talk()
        _ = talk.session.started(now: .zero)
        _ = talk.identify()
        _ = talk.receive(.opened)
        let first = talk.receive(#"{"id": 1, "result": {"sys": {}, "bthome": {}}}"#)
        #expect(ShellySessionTests.calls(first) == [#"2 Shelly.GetComponents {"dynamic_only":true,"offset":0}"#])
        let second = talk.receive(
            #"{"id": 2, "result": {"components": [\#(Self.door[0]), \#(Self.door[1])], "total": 3, "offset": 0}}"#)
        #expect(ShellySessionTests.calls(second) == [#"3 Shelly.GetComponents {"dynamic_only":true,"offset":2}"#])
        let third = talk.receive(#"{"id": 3, "result": {"components": [\#(Self.door[2])], "total": 3, "offset": 2}}"#)
        #expect(ShellySessionTests.calls(third) == ["4 Shelly.GetStatus "] && third.lights() == nil)
        let light = talk.receive(#"{"id": 4, "result": {"sys": {}}}"#).lights()?.first
        #expect(light?.capabilities.readings == [.contact, .illuminance, .battery])
        let change = talk.receive(
            #"{"method": "NotifyEvent", "params": {"events": [{"component": "sys", "event": "component_removed"}]}}"#)
        #expect(ShellySessionTests.calls(change) == ["5 Shelly.GetConfig "])
        _ = talk.receive(#"{"id": 5, "result": {"sys": {}, "bthome": {}}}"#)
        _ = talk.receive(#"{"id": 6, "error": {"code": 404, "message": "No handler"}}"#)
        #expect(talk.receive(#"{"id": 7, "result": {"sys": {}}}"#).lights() == [])
    }

    @Test("are read again from the start if they change while they are read")
    func changeWhileReading() {
        var (talk, _) = Self.joined(Self.door)
        let change =
            #"{"method": "NotifyEvent", "params": {"events": [{"component": "sys", "event": "component_added"}]}}"#
        func list(_ components: [String]) -> String {
            #""result": {"components": [\#(components.joined(separator: ","))], "total": 7}"#
        }
        _ = talk.receive(change)
        _ = talk.receive(#"{"id": 4, "result": {"sys": {}, "bthome": {}}}"#)
        _ = talk.receive(change)
        _ = talk.receive("{\"id\": 5, \(list(Self.door))}")
        _ = talk.receive(#"{"id": 6, "result": {"sys": {}, "bthome": {}}}"#)
        let late = talk.receive("{\"id\": 7, \(list(Array(Self.climate.prefix(2))))}")
        #expect(ShellySessionTests.calls(late) == [#"8 Shelly.GetComponents {"dynamic_only":true,"offset":0}"#])
        let first = talk.receive("{\"id\": 8, \(list(Self.door))}")
        #expect(ShellySessionTests.calls(first) == [#"9 Shelly.GetComponents {"dynamic_only":true,"offset":5}"#])
    }

    @Test(
        "aren't shown without an address, a second time, or without anything to show",
        arguments: [
            [device(200, "38:39:8f", model: 1)], [sensor(200, "38:39:8f:74:b1:4f", 45, "true")],
            [device(200, "38:39:8f:74:b1:4f", model: 2)], [#"{"key": "bthomedevice:200"}"#], ["null", "[]", "7"],
        ])
    func odd(components: [String]) {
        #expect(Self.joined(components).events.lights() == [])
        #expect(Self.joined(Self.button + Self.button).events.lights()?.count == 1)
    }

    @Test("set the temperature of a radiator valve")
    func thermostat() throws {
        var (talk, events) = Self.joined(Self.valve)
        let light = try #require(events.lights()?.first)
        #expect(events.lights()?.count == 1 && light.kind == .thermostat && light.name == "Valve")
        var report = LightReport(reachable: true)
        (report.thermostatMode, report.thermostatActivity, report.targetTemperature) = (.heat, .off, 19)
        report.values[.currentTemperature] = 21
        #expect(events.reports() == [report])
        var command = LightCommand()
        command.targetTemperature = 20.5
        #expect(
            ShellySessionTests.calls(try talk.session.apply(command, to: light.id, number: 7, now: .zero)) == [
                #"4 BluTRV.Call {"id":205,"method":"Trv.SetTarget","params":{"id":0,"target_C":20.5}}"#
            ])
        #expect(talk.receive(#"{"id": 4, "result": null}"#).contains(.finished(command: 7, nil)))
        events = talk.receive(
            #"{"method": "NotifyStatus", "params": {"blutrv:205": {"target_C": 20.5, "pos": 30}}}"#)
        let now = events.reports().first
        #expect(now?.thermostatActivity == .heat && now?.targetTemperature == 20.5)
        let mode = LightCommand()
        #expect(try talk.session.apply(mode, to: light.id, number: 8, now: .zero) == [.finished(command: 8, nil)])
    }
}
