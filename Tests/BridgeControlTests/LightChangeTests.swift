import BoundedJSON
import BridgeControl
import DeviceKit
import FoundationEssentials
import HAPModel
import Testing

/// The names of the values that a controller can change.
private let settable = LightChange.Purpose.command.names.joined(separator: ", ")

@Suite("LightChange")
struct LightChangeTests {
    @Test(
        "parses names and values",
        arguments: [
            (["on=true"], LightChange(on: true)),
            (["on=OFF", "brightness=0"], LightChange(on: false, brightness: 0)),
            (
                ["hue=359.5", "saturation=80", "brightness=100"],
                LightChange(brightness: 100, hue: 359.5, saturation: 80)
            ),
            (["temperature=250"], LightChange(temperature: 250)),
            (["hue=360", "saturation=100"], LightChange(hue: 360, saturation: 100)),
            (["hue=0", "saturation=0"], LightChange(hue: 0, saturation: 0)),
            (["temperature=50"], LightChange(temperature: 50)), (["temperature=500"], LightChange(temperature: 500)),
        ])
    func parses(words: [String], expected: LightChange) throws {
        #expect(try LightChange(parsing: words, for: .command) == expected)
    }

    private static let lamp = device(
        .light, LightChange(on: true, brightness: 40, hue: 0, saturation: 0, temperature: 250))

    private static let thermostat: LightListing = {
        var state = LightChange()
        state["targetTemperature"] = 21
        return device(.thermostat, state)
    }()

    private static func humidifier(_ target: String) -> LightListing {
        var state = LightChange()
        state["humidity"] = 38
        state[target] = 50
        return device(.humidifier, state)
    }

    private static func device(_ kind: LightKind, _ state: LightChange = LightChange()) -> LightListing {
        LightListing(
            key: "a/b", name: "B", kind: kind.rawValue, aid: 2, driver: "a", reachable: true, state: state)
    }

    private static func scenes(_ functions: [String]) -> LightListing {
        var state = LightChange()
        for function in functions { state["on#\(function)"] = false }
        return device(.scene, state)
    }

    @Test(
        "understands words, units and steps according to the kind of device",
        arguments: [
            (lamp, ["on"], #"{"on":true}"#), (lamp, ["OFF"], #"{"on":false}"#), (lamp, ["toggle"], #"{"on":false}"#),
            (lamp, ["on", "50%", "red"], #"{"on":true,"brightness":50,"hue":0,"saturation":100}"#),
            (lamp, ["+10%"], #"{"brightness":50}"#), (lamp, ["brightness=-50"], #"{"brightness":0}"#),
            (lamp, ["brightness=30 %"], #"{"brightness":30}"#), (lamp, ["warm"], #"{"temperature":370}"#),
            (lamp, ["2700K"], #"{"temperature":370}"#), (lamp, ["temperature=4000k"], #"{"temperature":250}"#),
            (lamp, ["temperature=300"], #"{"temperature":300}"#), (lamp, ["white"], #"{"temperature":250}"#),
            (device(.light), ["white"], #"{"hue":0,"saturation":0}"#), (lamp, ["hue=120°"], #"{"hue":120}"#),
            (device(.cover), ["open"], #"{"position":100}"#), (device(.cover), ["close"], #"{"position":0}"#),
            (device(.cover), ["stop"], #"{"movement":"stopped"}"#), (device(.cover), ["30%"], #"{"position":30}"#),
            (thermostat, ["targetTemperature=-1.5"], #"{"targetTemperature":19.5}"#),
            (thermostat, ["heat", "70°F"], #"{"mode":"heat","targetTemperature":21.11}"#),
            (humidifier("humidifierThreshold"), ["+5%"], #"{"humidity":55}"#),
            (humidifier("dehumidifierThreshold"), ["humidity=-5"], #"{"humidity":45}"#),
            (device(.fan), ["counterclockwise", "20%"], #"{"speed":20,"direction":"counterclockwise"}"#),
        ])
    func words(device: LightListing, words: [String], json: String) throws {
        #expect(try LightChange(parsing: words, for: .command, of: device).json.text == json)
    }

    @Test(
        "rejects words that don't apply to the device",
        arguments: [
            (
                device(.switch), ["open"],
                "don't understand \"open\"; use NAME=VALUE such as brightness=40, on, off"
            ),
            (lamp, ["rde"], "don't understand \"rde\"; did you mean red?"),
            (lamp, ["on", "off"], "on is specified twice; specify it only once"),
            (lamp, ["101%"], "brightness is out of range; use 0 to 100 (percent)"),
            (lamp, ["100K"], "temperature is out of range; use 50 to 500 (mired)"),
            (
                device(.switch), ["0K"], "don't understand \"0K\"; use NAME=VALUE such as brightness=40, on, off"
            ),
            (
                scenes(["scene/activate"]), ["off"],
                "don't understand \"off\"; scenes can only be activated; use on"
            ),
            (
                scenes(["scene/a", "scene/b"]), ["off"],
                "don't understand \"off\"; scenes can only be activated; use on#scene/a=true or on#scene/b=true"
            ),
            (
                scenes(["scene/a", "siren/b"]), ["ofg"], "don't understand \"ofg\"; did you mean off?"
            ),
            (device(.light), ["brightness=+10"], "brightness can't be changed by \"+10\"; specify the new value"),
            (
                device(.switch), ["toggle"],
                "don't understand \"toggle\"; use NAME=VALUE such as brightness=40, on, off"
            ),
        ])
    func unknownWords(device: LightListing, words: [String], message: String) {
        let error = #expect(throws: BridgeControlError.self) {
            try LightChange(parsing: words, for: .command, of: device)
        }
        #expect(error?.description == message)
    }

    @Test("uses the same type for all values with the same name")
    func forms() {
        for (name, properties) in Dictionary(grouping: PropertyName.all, by: \.name) {
            let forms = properties.map { property in
                switch property.form {
                case .flag: "flag"
                case .choice: "choice"
                case .whole, .number: "number"
                }
            }
            #expect(Set(forms).count == 1, "\(name)")
        }
    }

    @Test("names the values of a fan and a cover, and decodes them from JSON")
    func named() throws {
        var fan = LightReport(on: true)
        (fan.speed, fan.direction, fan.oscillates) = (40, .counterclockwise, false)
        var cover = LightReport()
        (cover.position, cover.motion) = (30, .opening)
        for (report, kind, json) in [
            (fan, LightKind.fan, #"{"direction":"counterclockwise","on":true,"oscillates":false,"speed":40}"#),
            (cover, .cover, #"{"movement":"opening","position":30}"#),
        ] {
            let change = LightChange(report.values, since: nil, of: kind)
            #expect(try JSONDecoder().decode(LightChange.self, from: Data(json.utf8)) == change)
            #expect(LightChange(change.values(for: kind), since: nil, of: kind) == change)
            #expect(LightChange(report.values, since: report.values, of: kind).isEmpty)
        }
    }

    @Test("names the values of additional functions, and decodes them from JSON and from words")
    func furtherFunctions() throws {
        var values = LightReport(on: true).values
        values[Property(.currentTemperature)] = .float(21.5)
        values[Property(.currentTemperature, of: "inside")] = .float(-3)
        values[Property(.on, of: "lamp")] = .bool(false)
        values[Property(.chargingState)] = .integer(1)
        values[Property(.name)] = .string("Fan")
        let change = LightChange(values, since: nil, of: .fan)
        values.remove(Property(.name))
        let json =
            #"{"on":true,"on#lamp":false,"temperature":21.5,"temperature#inside":-3,"ChargingState":"Charging"}"#
        #expect(change.json.text == json)
        #expect(
            change.phrases(of: .fan) == [
                "on", "off (lamp)", "temperature 21.5 °C", "temperature -3 °C (inside)", "ChargingState Charging",
            ])
        #expect(try JSONDecoder().decode(LightChange.self, from: Data(json.utf8)) == change)
        #expect(change.values(for: .fan) == values)
        let words = ["on=yes", "on#lamp=no", "temperature=21.5", "temperature#inside=-3", "ChargingState=Charging"]
        #expect(try LightChange(parsing: words, for: .simulation) == change)
        #expect(
            try LightChange(parsing: ["on#lamp=1"], for: .command).values(for: .light)[Property(.on, of: "lamp")]
                == .bool(true))
        for word in ["ChargingState=Charging", "ChargingState#a=Charging", "Name=a", "on#\u{1B}[2J=maybe"] {
            let error = #expect(throws: BridgeControlError.self) { try LightChange(parsing: [word], for: .command) }
            #expect(error?.description.contains("\u{1B}") == false)
        }
    }

    @Test("has different names for a lamp's color temperature and its sensor's temperature")
    func temperatures() throws {
        var values = LightReport(color: .temperature(mired: 250)).values
        values[Property(.currentTemperature)] = .float(20.5)
        let change = LightChange(values, since: nil, of: .light)
        #expect(change.json.text == #"{"temperature":250,"CurrentTemperature":20.5}"#)
        #expect(change.phrases(of: .light) == ["temperature 250 mired", "CurrentTemperature 20.5 °C"])
        #expect(change.values(for: .light) == values)
    }

    @Test(
        "names every number, flag and word of HAP that an additional function can have", arguments: LightKind.allCases)
    func everyFunction(kind: LightKind) {
        for definition in CharacteristicDefinition.all where !definition.type.isMomentary {
            let property = kind.property(definition.type, of: "x")
            var values = PropertyValues()
            values[property] = definition.metadata.defaultValue
            let change = LightChange(values, since: nil, of: kind)
            let follows =
                kind.name(of: property.type) == nil && kind.possibleFunctions.contains { $0.has(property.type) }
            let isNamed = ![.string, .tlv8, .data].contains(definition.metadata.format) && !follows
            #expect(change.json.object?.members.count == (isNamed ? 1 : 0), "\(definition.name)")
            #expect(change.phrases(of: kind).count == (isNamed ? 1 : 0), "\(definition.name)")
            #expect(change.values(for: kind).map(\.property) == (isNamed ? [property] : []), "\(definition.name)")
        }
    }

    @Test("names the press of a button, which no controller can set")
    func press() throws {
        let change = try LightChange(parsing: ["press#top=double"], for: .simulation)
        let button = PushButton(id: "top", name: "Top")
        #expect(change.values(for: .outlet) == button.events(.double))
        #expect(LightChange(button.events(.double), since: nil, of: .outlet) == change)
        #expect(change.phrases(of: .button) == ["double (top)"])
        #expect(throws: BridgeControlError.self) { try LightChange(parsing: ["press=single"], for: .command) }
        #expect(throws: BridgeControlError.self) { try LightChange(parsing: ["press=triple"], for: .simulation) }
    }

    @Test("help lists all properties, or only those that a controller can change")
    func help() {
        let all = LightChange.Purpose.simulation.help
        for property in PropertyName.all { #expect(all.contains(property.name)) }
        #expect(
            LightChange.Purpose.command.help == """
                light: on, brightness (percent), hue (degrees), saturation (percent), temperature (mired); switch: on; \
                outlet: on; fan: on, speed (percent), direction (clockwise, counterclockwise), oscillates, \
                mode (manual, auto); \
                cover: position (percent), tilt (degrees), movement (closing, opening, stopped); \
                lock: lock (unlocked, locked, jammed, unknown); \
                garage-door: door (open, closed, opening, closing, stopped); \
                security-system: alarm (home, away, night, disarmed, triggered); \
                thermostat: mode (off, heat, cool, auto), targetTemperature (degrees Celsius), \
                heatingThreshold (degrees Celsius), coolingThreshold (degrees Celsius), targetHumidity (percent), \
                speed (percent), fanMode (manual, auto), oscillates; \
                humidifier: on, humidity (percent), humidifierThreshold (percent), dehumidifierThreshold (percent); \
                air-purifier: on, speed (percent), mode (manual, auto); valve: on, duration (seconds); scene: on
                """)
    }

    @Test("accepts reachability only for simulated lights")
    func reachable() throws {
        #expect(try LightChange(parsing: ["reachable=no"], for: .simulation) == LightChange(reachable: false))
    }

    @Test(
        "suggests a remedy for each mistake",
        arguments: [
            (
                [],
                "nothing to change; add a change such as on=true; the names are \(settable)"
            ),
            (["on"], "don't understand \"on\"; use NAME=VALUE such as brightness=40"),
            (["brigthness=4"], "unknown name \"brigthness\"; did you mean brightness?"),
            (["on=maybe"], "on can't be \"maybe\"; use true or false"),
            (["brightness=101"], "brightness is out of range; use 0 to 100 (percent)"),
            (["brightness=4.5"], "brightness can't be \"4.5\"; use a whole number"),
            (
                ["brightness=99999999999999999999"],
                "brightness can't be \"99999999999999999999\"; use a whole number"
            ),
            (["hue=361"], "hue is out of range; use 0 to 360 (degrees)"),
            (["hue=nan"], "hue can't be \"nan\"; use a number"),
            (["saturation=100.5"], "saturation is out of range; use 0 to 100 (percent)"),
            (["temperature=501"], "temperature is out of range; use 50 to 500 (mired)"),
            (["temperature=40"], "temperature is out of range; use 50 to 500 (mired)"),
            (
                ["temperature=200", "hue=3"],
                "color and white can't be set together; use hue and saturation, or temperature"
            ),
            (["on=1", "on=0"], "on is specified twice; specify it only once"),
            (["temperature=200.5"], "temperature can't be \"200.5\"; use a whole number"),
            (["speed=101"], "speed is out of range; use 0 to 100 (percent)"),
            (["direction=up"], "direction can't be \"up\"; use clockwise or counterclockwise"),
            (["oscillates=2"], "oscillates can't be \"2\"; use true or false"),
            (["reachable=true"], "\"reachable\" can't be set; use lamplighter simulate for a simulated device"),
            (
                ["\u{1B}[2Jon=1"],
                "unknown name \"\\u{1B}[2Jon\"; use one of \(settable)"
            ),
        ] as [([String], String)])
    func refuses(words: [String], message: String) {
        let error = #expect(throws: BridgeControlError.self) { try LightChange(parsing: words, for: .command) }
        #expect(error?.code == 64)
        #expect(error?.description == message)
    }

    @Test("finds the values that a kind of light can't have")
    func impossible() throws {
        let change = try LightChange(parsing: ["on=true", "temperature=20.5", "reachable=true"], for: .simulation)
        #expect(change.impossibleNames(for: .sensor).isEmpty)
        #expect(change.impossibleNames(for: .light) == ["temperature"])
        #expect(change.impossibleNames(for: .fan).isEmpty)
    }

    @Test("parses changes of a simulated fan and sensor")
    func simulation() throws {
        let fan = try LightChange(
            parsing: ["on=true", "speed=40", "direction=counterclockwise", "oscillates=yes"], for: .simulation)
        #expect(
            fan.json.text == #"{"on":true,"speed":40,"direction":"counterclockwise","oscillates":true}"#)
        let sensor = try LightChange(
            parsing: ["motion=true", "contact=off", "temperature=-21.5", "illuminance=0", "batteryLow=1", "battery=8"],
            for: .simulation)
        #expect(
            sensor.json.text
                == #"{"temperature":-21.5,"motion":true,"contact":false,"illuminance":0,"battery":8,"batteryLow":true}"#
        )
        #expect(throws: BridgeControlError.self) { try LightChange(parsing: ["humidity=101"], for: .simulation) }
        #expect(throws: BridgeControlError.self) { try sensor.validate(for: .command) }
    }
}
