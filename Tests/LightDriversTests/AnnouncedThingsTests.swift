import BoundedJSON
import DeviceKit
import Foundation
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// An announcement of a publisher with its messages, and Home Assistant's interpretation of both
/// (Tests/Fixtures/announced).
struct AnnouncedThing: CustomTestStringConvertible, Sendable {
    let publisher: String
    let json: JSONValue

    var testDescription: String { "\(publisher): \(json["name"]?.string ?? "?")" }
    var expected: JSONValue { json["expect"] ?? .null }
    var kind: String { expected["kind"]?.string ?? "" }

    static let all: [AnnouncedThing] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let directory = tests.appending(path: "Fixtures/announced")
        let files = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        var things: [AnnouncedThing] = []
        for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "json" {
            guard let data = try? Data(contentsOf: file), let json = try? JSONValue(parsing: Array(data)) else {
                continue
            }
            let publisher = file.deletingPathExtension().lastPathComponent
            things += (json["things"]?.array ?? []).map { AnnouncedThing(publisher: publisher, json: $0) }
        }
        return things
    }()

    static let lights = all.filter { ["light", "switch", "outlet"].contains($0.kind) }
    static let fans = all.filter { $0.kind == "fan" }
    static let covers = all.filter { $0.kind == "cover" }
    static let sensors = all.filter { $0.kind == "sensor" }
    static let valves = all.filter { $0.kind == "valve" }
    static let scenes = all.filter { $0.kind == "scene" }
    static let buttons = all.filter { $0.kind == "button" }

    var payload: [UInt8] {
        if let text = json["payload"]?.string { return Array(text.utf8) }
        return (json["payload"] ?? .null).encoded
    }

    /// Returns a house that has received the announcement and shows only devices of the given kinds.
    func announced(kinds: Set<LightKind> = [.light, .switch, .outlet]) -> MQTTHouse {
        var house = MQTTHouse(kinds: kinds)
        house.receives(json["topic"]?.string ?? "", payload)
        house.actions.removeAll { if case .added(let other) = $0 { !kinds.contains(other.kind) } else { false } }
        return house
    }

    /// Returns the light that the fixture is about, because a device may announce several.
    func light(of house: MQTTHouse) -> LightDescription? {
        guard house.added.count > 1 else { return house.added.first }
        guard let component = json["component"]?.string else { return house.added.first }
        let keys = json["payload"]?["cmps"]?[component] ?? json["payload"]?["components"]?[component]
        let id = (keys?["unique_id"] ?? keys?["uniq_id"])?.string
        return house.added.first { $0.id.rawValue == id }
            ?? house.added.first { $0.id.rawValue.hasSuffix(" " + component) }
    }

    /// Receives the messages of the fixture.
    func notified(_ house: inout MQTTHouse) {
        for message in json["messages"]?.array ?? [] {
            guard let topic = message.array?.first?.string, let text = message.array?.last?.string else { continue }
            house.receives(topic, Array(text.utf8))
        }
    }
}

@Suite("The reader of publishers' announcements", .timeout)
struct AnnouncedThingsTests {
    @Test("finds the fixtures") func found() {
        #expect(AnnouncedThing.all.count >= 200 && AnnouncedThing.lights.count >= 150)
    }

    @Test(
        "ignores everything that isn't a light, a switch or an outlet",
        arguments: AnnouncedThing.all.filter {
            !AnnouncedThing.lights.map(\.testDescription).contains($0.testDescription) && $0.expected["others"] == nil
        })
    func others(_ thing: AnnouncedThing) {
        #expect(thing.announced().added.isEmpty)
    }

    @Test("adds a light with its features", arguments: AnnouncedThing.lights)
    func features(_ thing: AnnouncedThing) throws {
        let house = thing.announced()
        let light = try #require(thing.light(of: house), "\(house.warnings)")
        #expect(light.kind.rawValue == thing.kind)
        #expect(light.capabilities.brightness == (thing.expected["brightness"]?.bool ?? false), "brightness")
        #expect(light.capabilities.color == (thing.expected["color"]?.bool ?? false), "color")
        let range = thing.expected["temperature"]?.array?.compactMap(\.int)
        #expect(light.capabilities.temperature.map { [$0.lowerBound, $0.upperBound] } == range, "temperature")
    }

    @Test("reads the messages of a light as Home Assistant does", arguments: AnnouncedThing.lights)
    func states(_ thing: AnnouncedThing) throws {
        var house = thing.announced()
        let light = try #require(thing.light(of: house))
        thing.notified(&house)
        let state = house.states[light.id] ?? LightReport()
        #expect(state.reachable == (thing.expected["available"]?.bool ?? true))
        guard state.reachable == true, let wanted = thing.expected["state"] else { return }
        if let on = wanted["on"]?.bool { #expect(state.on == on) }
        if let brightness = wanted["brightness"]?.int, wanted["on"]?.bool != false {
            #expect(
                state.brightness.map { abs($0 - brightness) <= 1 } == true, "\(state.brightness ?? -1) \(brightness)")
        }
        guard wanted["on"]?.bool != false else { return }
        if let mired = wanted["mired"]?.int {
            guard case .temperature(let value)? = state.color else {
                Issue.record("\(state)")
                return
            }
            #expect(abs(value - mired) <= 1)
        } else if let hue = wanted["hue"]?.double, let saturation = wanted["saturation"]?.double {
            guard case .hueSaturation(let h, let s)? = state.color else {
                Issue.record("\(state)")
                return
            }
            let turn = abs(h - hue)
            // The hue of pale colors is less precise.
            let tolerance: Double = saturation < 6 ? 180 : saturation < 20 ? 3 : 1
            #expect(abs(s - saturation) <= 1 && min(turn, 360 - turn) <= tolerance, "\(h) \(s) \(wanted)")
        }
    }

    @Test("sends the messages that Home Assistant sends", arguments: AnnouncedThing.lights)
    func commands(_ thing: AnnouncedThing) throws {
        for member in thing.json["commands"]?.object?.members ?? [] {
            guard let command = Self.command(member.name) else { continue }
            var house = thing.announced()
            let light = try #require(thing.light(of: house))
            thing.notified(&house)
            let messages: [MQTTMessage]
            do throws(LightError) {
                messages = try house.home.messages(for: command, to: light.id, now: .zero)
            } catch {
                Issue.record("\(member.name): \(error)")
                continue
            }
            let wanted = (member.value.array ?? []).map {
                ($0.array?.first?.string ?? "", $0.array?.last?.string ?? "")
            }
            let sent = messages.map { ($0.topic, String(decoding: $0.payload, as: UTF8.self)) }
            let isSame =
                sent.count == wanted.count && zip(sent, wanted).allSatisfy { $0.0 == $1.0 && Self.means($0.1, $1.1) }
            #expect(isSame, "\(member.name): sent \(sent), wanted \(wanted)")
        }
    }

    // MARK: Fans and sensors

    /// The readings by Home Assistant's device class.
    private static let readings: [String: SensorReading] = [
        "motion": .motion, "occupancy": .occupancy, "door": .contact, "moisture": .leak, "smoke": .smoke,
        "temperature": .temperature, "humidity": .humidity, "illuminance": .illuminance, "vibration": .motion,
        "carbon_monoxide": .carbonMonoxideLevel, "gas": .carbonMonoxide, "carbon_dioxide": .carbonDioxideLevel,
        "pm25": .pm25, "pm10": .pm10, "volatile_organic_compounds": .voc, "volatile_organic_compounds_parts": .voc,
        "nitrogen_dioxide": .nitrogenDioxide, "ozone": .ozone, "eco2": .carbonDioxideLevel,
        "power": .power, "energy": .energy, "voltage": .voltage, "current": .current,
    ]

    @Test(
        "adds a sensor of a known class and reads its messages as Home Assistant does",
        arguments: AnnouncedThing.sensors)
    func sensors(_ thing: AnnouncedThing) throws {
        let known = thing.expected["class"]?.string.flatMap { Self.readings[$0] }
        let kind: LightKind = known?.isMeter == true ? .meter : .sensor
        var house = thing.announced(kinds: [kind])
        guard var reading = known else {
            #expect(house.added.isEmpty)
            return
        }
        // A meter waits for the other parts of its device.
        house.pass(2)
        // Without power or energy, a voltage and a current aren't shown.
        guard reading != .voltage, reading != .current else {
            #expect(house.added.isEmpty && house.warnings.isEmpty)
            return
        }
        if reading == .carbonMonoxideLevel, thing.expected["state"]?["on"] != nil { reading = .carbonMonoxide }
        let sensor = try #require(house.added.first, "\(house.warnings)")
        #expect(house.added.count == 1 && sensor.kind == kind && sensor.capabilities.readings == [reading])
        thing.notified(&house)
        let state = try #require(house.states[sensor.id])
        #expect(state.reachable == (thing.expected["available"]?.bool ?? true))
        if let on = thing.expected["state"]?["on"]?.bool {
            #expect(state.readings[reading] == .flag(reading == .contact ? !on : on))
        }
        if let value = (thing.expected["state"]?["reading"] ?? thing.expected["state"]?["value"])?.double {
            guard case .number(let number)? = state.readings[reading] else {
                Issue.record("\(state)")
                return
            }
            #expect(abs(number - value) < 0.05)
        }
    }

    @Test(
        "adds a fan with its features, reads its messages and sends its commands as Home Assistant does",
        arguments: AnnouncedThing.fans)
    func fans(_ thing: AnnouncedThing) throws {
        var house = thing.announced(kinds: [.fan])
        let fan = try #require(house.added.first, "\(house.warnings)")
        #expect(fan.kind == .fan)
        let keys = try #require(thing.json["payload"]?.object)
        #expect(fan.capabilities.speed == (keys["pct_cmd_t"] ?? keys["percentage_command_topic"] != nil))
        thing.notified(&house)
        let state = try #require(house.states[fan.id])
        if let on = thing.expected["state"]?["on"]?.bool { #expect(state.on == on) }
        if let speed = thing.expected["state"]?["speed"]?.int, speed > 0 { #expect(state.speed == speed) }
        for member in thing.json["commands"]?.object?.members ?? [] {
            let words = member.name.split(separator: " ")
            var command = LightCommand()
            switch words.first {
            case "on": command.on = true
            case "off": command.on = false
            default:
                // Switch the fan on first, because the speed of a fan that is off is held back.
                _ = house.home.handedOver(LightCommand(on: true), to: fan.id)
                command.speed = Int(words.last ?? "")
            }
            let sent = try house.home.messages(for: command, to: fan.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            let wanted = (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }
            #expect(sent == wanted, "\(member.name)")
        }
    }

    @Test(
        "adds a cover with its features, reads its messages and sends its commands as Home Assistant does",
        arguments: AnnouncedThing.covers)
    func covers(_ thing: AnnouncedThing) throws {
        var house = thing.announced(kinds: [.cover])
        let cover = try #require(house.added.first, "\(house.warnings)")
        let function = try #require(cover.functions.first)
        #expect(function.type == (thing.expected["service"] == "Window" ? .window : .windowCovering))
        #expect(cover.capabilities.tilt == (thing.expected["tilts"]?.bool ?? false))
        #expect((function.metadata(of: .targetPosition)?.maximum == 0) == (thing.expected["locked"]?.bool ?? false))
        thing.notified(&house)
        let state = try #require(house.states[cover.id])
        let wanted = thing.expected["state"]
        #expect(state.position == wanted?["position"]?.int)
        #expect(state.tilt == (wanted?["tilt"]?.double).map { TiltAngle.degrees($0 / 100) })
        if let motion = wanted?["motion"]?.string { #expect(state.motion?.rawValue == motion) }
        for member in thing.json["commands"]?.object?.members ?? [] {
            let words = member.name.split(separator: " ")
            let number = words.last.flatMap { Double($0) } ?? 0
            var command = LightCommand()
            switch words.first {
            case "position": command.targetPosition = Int(number)
            case "tilt": command.targetTilt = TiltAngle.degrees(number / 100)
            case "open": command.targetPosition = 100
            case "close": command.targetPosition = 0
            default: command.values[Property(.holdPosition)] = .bool(true)
            }
            let sent = try house.home.messages(for: command, to: cover.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            #expect(sent == (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }, "\(member.name)")
        }
    }

    @Test(
        "adds a valve, reads its messages and sends its commands as Home Assistant does",
        arguments: AnnouncedThing.valves)
    func valves(_ thing: AnnouncedThing) throws {
        var house = thing.announced(kinds: [.valve])
        house.settles()
        let valve = try #require(house.added.first, "\(house.warnings)")
        #expect(valve.kind == .valve)
        thing.notified(&house)
        let state = try #require(house.states[valve.id])
        #expect(state.reachable == (thing.expected["available"]?.bool ?? true))
        if let on = thing.expected["state"]?["on"]?.bool { #expect(state.on == on) }
        for member in thing.json["commands"]?.object?.members ?? [] {
            let command = LightCommand(on: member.name == "open")
            let sent = try house.home.messages(for: command, to: valve.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            #expect(sent == (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }, "\(member.name)")
        }
    }

    @Test(
        "adds a scene, a siren or a choice, reads its messages and sends its commands as Home Assistant does",
        arguments: AnnouncedThing.scenes)
    func scenes(_ thing: AnnouncedThing) throws {
        var house = thing.announced(kinds: [.scene])
        house.settles()
        let device = try #require(house.added.first, "\(house.warnings)")
        #expect(device.kind == .scene)
        #expect(device.scenes.map(\.id) == thing.expected["functions"]?.array?.map(\.string))
        let names = device.scenes.map { $0.parts.first { $0.type == .name }?.value.string }
        #expect(names == thing.expected["names"]?.array?.map(\.string))
        thing.notified(&house)
        let state = try #require(house.states[device.id])
        #expect(state.reachable == (thing.expected["available"]?.bool ?? true))
        let on = device.scenes.filter { state.values[Property(.on, of: $0.id)]?.bool == true }.compactMap(\.id)
        if let wanted = thing.expected["state"]?["on"]?.bool { #expect(!on.isEmpty == wanted) }
        if let option = thing.expected["state"]?["option"]?.string {
            #expect(on.count == 1 && on.first?.hasSuffix("/\(option)") == true)
        }
        for member in thing.json["commands"]?.object?.members ?? [] {
            let option = member.name.dropFirst("select ".count)
            let function =
                member.name.hasPrefix("select ")
                ? device.scenes.first { $0.id?.hasSuffix("/\(option)") == true } : device.scenes.first
            var command = LightCommand()
            command.values[Property(.on, of: function?.id)] = .bool(member.name != "off")
            let sent = try house.home.messages(for: command, to: device.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            #expect(sent == (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }, "\(member.name)")
        }
    }

    /// Returns the command that a fixture names, which also switches the light on if it sets another attribute.
    private static func command(_ name: String) -> LightCommand? {
        let words = name.split(separator: " ")
        switch words.first {
        case "on": return LightCommand(on: true)
        case "off": return LightCommand(on: false)
        case "brightness": return LightCommand(on: true, brightness: Int(words[1]))
        case "mired": return LightCommand(on: true, color: .temperature(mired: Int(words[1]) ?? 0))
        case "hue":
            guard let hue = Double(words[1]), let saturation = Double(words[3]) else { return nil }
            return LightCommand(on: true, color: .hueSaturation(hue: hue, saturation: saturation))
        default: return nil
        }
    }

    /// Returns whether two payloads are equal except for rounding.
    private static func means(_ a: String, _ b: String) -> Bool {
        if a == b { return true }
        if let x = try? JSONValue(parsing: a), let y = try? JSONValue(parsing: b), a.contains("{") || Double(a) != nil {
            return means(x, y)
        }
        let parts = (
            a.split(separator: ",", omittingEmptySubsequences: false),
            b.split(separator: ",", omittingEmptySubsequences: false)
        )
        guard parts.0.count == parts.1.count, parts.0.count > 1 else { return false }
        return zip(parts.0, parts.1).allSatisfy { x, y in
            guard let x = Double(x), let y = Double(y) else { return x == y }
            return means(.number(x), .number(y))
        }
    }

    private static func means(_ a: JSONValue, _ b: JSONValue) -> Bool {
        if let x = a.double, let y = b.double { return abs(x - y) <= (abs(y) < 1 ? 0.002 : 1) }
        if let x = a.object, let y = b.object {
            return x.members.count == y.members.count
                && x.members.allSatisfy { member in y[member.name].map { means(member.value, $0) } ?? false }
        }
        if let x = a.array, let y = b.array { return x.count == y.count && zip(x, y).allSatisfy { means($0, $1) } }
        return a == b
    }

    @Test(
        "adds the buttons of a device and reads the presses that Home Assistant reads",
        arguments: AnnouncedThing.buttons)
    func buttons(_ thing: AnnouncedThing) throws {
        var house = thing.announced(kinds: [.button])
        house.settles()
        let device = try #require(house.added.first)
        let buttons = device.buttons.reduce(into: [String: Set<String>]()) {
            $0[$1.id] = Set($1.presses.map(\.rawValue))
        }
        let expected = thing.expected["buttons"]?.object?.members.map {
            ($0.name, Set($0.value.array?.compactMap(\.string) ?? []))
        }
        #expect(buttons == Dictionary(expected ?? []) { $1 })
        for press in thing.json["presses"]?.array ?? [] {
            guard let parts = press.array, let topic = parts[0].string, let text = parts[1].string else { continue }
            let names = parts[2].array?.compactMap(\.string).map { "\(device.id) \($0)" }
            #expect(MQTTHouse.presses(house.receives(topic, text)) == names)
            #expect(MQTTHouse.presses(house.receivesRetained(topic, text)).isEmpty)
        }
    }
}
