import BoundedJSON
import Foundation
import LightDrivers
import LightKit
import TestTimeouts
import Testing

/// Things as publishers announce them, what they say, and what Home Assistant makes of them (Tests/Fixtures/announced).
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
    static let sensors = all.filter { $0.kind == "sensor" }

    var payload: [UInt8] {
        if let text = json["payload"]?.string { return Array(text.utf8) }
        return (json["payload"] ?? .null).encoded
    }

    /// Everything that an announcement and what follows leave behind.
    struct Outcome {
        var home = MQTTHome(prefix: "homeassistant", lights: [])
        var added: [LightDescription] = []
        var subscribed: Set<String> = []
        var warnings: [String] = []
        var states: [LightID: LightReport] = [:]

        mutating func take(_ actions: [MQTTAction]) {
            for action in actions {
                switch action {
                case .added(let light): added.append(light)
                case .subscribe(let topic, _): subscribed.insert(topic)
                case .report(let id, let report): states[id, default: LightReport()].merge(report)
                case .warn(let text?, _): warnings.append(text)
                default: break
                }
            }
        }

        mutating func receive(_ topic: String, _ payload: [UInt8]) {
            take(home.received(topic: topic, payload: MQTTPayload(payload), now: .zero))
        }
    }

    func announced(kinds: Set<LightKind> = [.light, .switch, .outlet]) -> Outcome {
        var outcome = Outcome()
        outcome.take(outcome.home.started(kinds: kinds))
        outcome.take(outcome.home.connected())
        outcome.receive(json["topic"]?.string ?? "", payload)
        return outcome
    }

    /// The light that is meant; a device may announce several.
    func light(of outcome: Outcome) -> LightDescription? {
        guard outcome.added.count > 1 else { return outcome.added.first }
        guard let component = json["component"]?.string else { return outcome.added.first }
        let keys = json["payload"]?["cmps"]?[component] ?? json["payload"]?["components"]?[component]
        let id = (keys?["unique_id"] ?? keys?["uniq_id"])?.string
        return outcome.added.first { $0.id.rawValue == id }
            ?? outcome.added.first { $0.id.rawValue.hasSuffix(" " + component) }
    }

    /// Lets the things say what they say.
    func notified(_ outcome: inout Outcome) {
        for message in json["messages"]?.array ?? [] {
            guard let topic = message.array?.first?.string, let text = message.array?.last?.string else { continue }
            outcome.receive(topic, Array(text.utf8))
        }
    }
}

@Suite("What publishers announce", .timeout)
struct AnnouncedThingsTests {
    @Test("the things are there") func found() {
        #expect(AnnouncedThing.all.count >= 200 && AnnouncedThing.lights.count >= 150)
    }

    @Test(
        "what is no light, switch or outlet adds none",
        arguments: AnnouncedThing.all.filter {
            !AnnouncedThing.lights.map(\.testDescription).contains($0.testDescription) && $0.expected["others"] == nil
        })
    func others(_ thing: AnnouncedThing) {
        #expect(thing.announced().added.isEmpty)
    }

    @Test("a light appears with its features", arguments: AnnouncedThing.lights)
    func features(_ thing: AnnouncedThing) throws {
        let outcome = thing.announced()
        let light = try #require(thing.light(of: outcome), "\(outcome.warnings)")
        #expect(light.kind.rawValue == thing.kind)
        #expect(light.capabilities.brightness == (thing.expected["brightness"]?.bool ?? false), "brightness")
        #expect(light.capabilities.color == (thing.expected["color"]?.bool ?? false), "color")
        let range = thing.expected["temperature"]?.array?.compactMap(\.int)
        #expect(light.capabilities.temperature.map { [$0.lowerBound, $0.upperBound] } == range, "temperature")
    }

    @Test("a light's messages say what Home Assistant reads in them", arguments: AnnouncedThing.lights)
    func states(_ thing: AnnouncedThing) throws {
        var outcome = thing.announced()
        let light = try #require(thing.light(of: outcome))
        thing.notified(&outcome)
        let state = outcome.states[light.id] ?? LightReport()
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
            // The paler, the less the hue says.
            let tolerance: Double = saturation < 6 ? 180 : saturation < 20 ? 3 : 1
            #expect(abs(s - saturation) <= 1 && min(turn, 360 - turn) <= tolerance, "\(h) \(s) \(wanted)")
        }
    }

    @Test("a command becomes the messages that Home Assistant sends", arguments: AnnouncedThing.lights)
    func commands(_ thing: AnnouncedThing) throws {
        for member in thing.json["commands"]?.object?.members ?? [] {
            guard let command = Self.command(member.name) else { continue }
            var outcome = thing.announced()
            let light = try #require(thing.light(of: outcome))
            thing.notified(&outcome)
            let messages: [MQTTMessage]
            do throws(LightError) {
                messages = try outcome.home.messages(for: command, to: light.id, now: .zero)
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

    /// The readings that Home Assistant's classes are; of others nothing is shown.
    private static let readings: [String: SensorReading] = [
        "motion": .motion, "occupancy": .occupancy, "door": .contact, "moisture": .leak, "smoke": .smoke,
        "temperature": .temperature, "humidity": .humidity, "illuminance": .illuminance,
    ]

    @Test(
        "a sensor of what is shown appears, and its messages say what Home Assistant reads in them",
        arguments: AnnouncedThing.sensors)
    func sensors(_ thing: AnnouncedThing) throws {
        var outcome = thing.announced(kinds: [.sensor])
        guard let reading = thing.expected["class"]?.string.flatMap({ Self.readings[$0] }) else {
            #expect(outcome.added.isEmpty)
            return
        }
        let sensor = try #require(outcome.added.first, "\(outcome.warnings)")
        #expect(outcome.added.count == 1 && sensor.kind == .sensor && sensor.capabilities.readings == [reading])
        thing.notified(&outcome)
        let state = try #require(outcome.states[sensor.id])
        #expect(state.reachable == (thing.expected["available"]?.bool ?? true))
        if let on = thing.expected["state"]?["on"]?.bool {
            #expect(state.readings[reading] == .flag(reading == .contact ? !on : on))
        }
        if let value = thing.expected["state"]?["value"]?.double {
            guard case .number(let number)? = state.readings[reading] else {
                Issue.record("\(state)")
                return
            }
            #expect(abs(number - value) < 0.01)
        }
    }

    @Test(
        "a fan appears with its features, says what Home Assistant reads, and is sent what it sends",
        arguments: AnnouncedThing.fans)
    func fans(_ thing: AnnouncedThing) throws {
        var outcome = thing.announced(kinds: [.fan])
        let fan = try #require(outcome.added.first, "\(outcome.warnings)")
        #expect(fan.kind == .fan)
        let keys = try #require(thing.json["payload"]?.object)
        #expect(fan.capabilities.speed == (keys["pct_cmd_t"] ?? keys["percentage_command_topic"] != nil))
        thing.notified(&outcome)
        let state = try #require(outcome.states[fan.id])
        if let on = thing.expected["state"]?["on"]?.bool { #expect(state.on == on) }
        if let speed = thing.expected["state"]?["speed"]?.int, speed > 0 { #expect(state.speed == speed) }
        for member in thing.json["commands"]?.object?.members ?? [] {
            let words = member.name.split(separator: " ")
            var command = LightCommand()
            switch words.first {
            case "on": command.on = true
            case "off": command.on = false
            default:
                // A fan that is off keeps its speed for the next on.
                _ = outcome.home.handedOver(LightCommand(on: true), to: fan.id)
                command.speed = Int(words.last ?? "")
            }
            let sent = try outcome.home.messages(for: command, to: fan.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            let wanted = (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }
            #expect(sent == wanted, "\(member.name)")
        }
    }

    /// A command of the controller: whatever is set, the light is to be on.
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

    /// Whether two payloads mean the same: numbers may differ by one of the smallest steps, as rounding does.
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
}
