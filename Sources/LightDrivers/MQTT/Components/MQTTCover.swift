import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A blind, a shutter, an awning, a curtain, a window or a door: with a position, with slats, or only opening and
/// closing (Lights 6.3).
///
/// Garage doors and gates are ``MQTTGarageDoor``s.
struct MQTTCover: MQTTComponent {
    static let names: Set = ["cover"]
    static let kind = LightKind.cover
    static let abbreviations = [
        "pl_cls": "payload_close", "pl_open": "payload_open", "pl_stop": "payload_stop", "pos_clsd": "position_closed",
        "pos_open": "position_open", "pos_t": "position_topic", "pos_tpl": "position_template",
        "set_pos_t": "set_position_topic", "set_pos_tpl": "set_position_template", "stat_clsd": "state_closed",
        "stat_closing": "state_closing", "stat_open": "state_open", "stat_opening": "state_opening",
        "stat_stopped": "state_stopped", "tilt_cmd_t": "tilt_command_topic", "tilt_cmd_tpl": "tilt_command_template",
        "tilt_opt": "tilt_optimistic", "tilt_status_t": "tilt_status_topic",
        "tilt_status_tpl": "tilt_status_template",
    ]
    static let keys = abbreviations.values.sorted() + ["device_class", "tilt_max", "tilt_min"]
    /// The time without a message after which a cover counts as stopped.
    static let restTime = Duration.seconds(60)
    /// The time without a message after which a cover that has reported its target as its position counts as arrived.
    static let arrivalTime = Duration.seconds(3)
    private static let numbers = -1_000_000...1_000_000
    private static let largestNumber = 1e9

    /// The meaning of a word in a state message.
    private enum Word: Equatable {
        case moves(CoverMotion)
        /// At rest at a position in percent. A cover that only reports that it isn't closed counts as fully open.
        case rests(Int)
    }

    /// The device's numbers for a closed and an open cover.
    private struct Range: Equatable {
        var closed = 0
        var open = 100

        func number(_ share: Double) -> Int { closed + Int((share * Double(open - closed)).rounded()) }
        func share(_ number: Double) -> Double {
            min(max((number - Double(closed)) / (Double(open) - Double(closed)), 0), 1)
        }
    }

    private var service = ServiceType.windowCovering
    private var positionCommand: MQTTLightSettings.Command?
    private var position: MQTTLightSettings.Source?
    private var positions = Range()
    /// The source of the words for the state, or `nil` if the cover reports no words.
    private var state: MQTTLightSettings.Source?
    private var words: [String: Word] = [:]
    /// The topic of the payloads that move or stop the cover.
    private var command: MQTTLightSettings.Command?
    private var payloads: [CoverMotion: String] = [:]
    private var tiltCommand: MQTTLightSettings.Command?
    private var tilt: MQTTLightSettings.Source?
    private var tilts = Range()
    private var tiltIsOptimistic = false

    private var moves: Bool { positionCommand != nil || payloads[.opening] != nil || payloads[.closing] != nil }

    private var canStop: Bool { payloads[.stopped] != nil }

    var capabilities: LightCapabilities { .cover(tilt: tiltCommand != nil, stop: canStop) }

    var functions: [AccessoryFunction] {
        [.cover(service, moves: moves, tilts: tiltCommand != nil, stops: canStop)]
    }

    var sources: [MQTTLightSettings.Source?] { [position, state, tilt] }

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        try !MQTTGarageDoor.isShown(reader, component: component)
    }

    /// A Boolean value that indicates whether the cover reports its state in words, without a position.
    var hasOnlyWords: Bool { position == nil && state != nil }

    /// A Boolean value that indicates whether the same message opens and closes the cover.
    var isToggled: Bool { payloads[.opening] != nil && payloads[.opening] == payloads[.closing] }

    /// Returns whether a word in a state message means that the cover has stopped.
    func isStop(_ text: String) -> Bool { words[text] == .moves(.stopped) }

    /// Returns the message that opens or closes the cover, either a command or a position.
    func moveMessage(opens: Bool, to light: inout MQTTLight) throws(LightError) -> MQTTMessage {
        let motion = opens ? CoverMotion.opening : .closing
        return payloads[motion] == nil
            ? try moveMessage(opens ? 100 : 0, to: &light) : try message(motion, to: &light)
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        position = try reader.source(topic: "position_topic", template: "position_template")
        positionCommand = try reader.command(
            topic: "set_position_topic", template: "set_position_template", else: "the position can't be set")
        if positionCommand != nil, position == nil {
            throw .about("position_topic", reader.losses.isEmpty ? "is missing" : "has an invalid template")
        }
        try readCommands(reader)
        try readStates(reader)
        tiltCommand = try reader.command(
            topic: "tilt_command_topic", template: "tilt_command_template", else: "the slats can't be turned")
        tilt = try reader.source(topic: "tilt_status_topic", template: "tilt_status_template")
        tiltIsOptimistic = try reader.bool("tilt_optimistic") ?? false || (tilt == nil && tiltCommand != nil)
        guard moves || tiltCommand != nil else {
            throw .about("command_topic", "is missing, and so are set_position_topic and tilt_command_topic")
        }
        positions = try Self.range(reader, "position_closed", "position_open")
        tilts = try Self.range(reader, "tilt_min", "tilt_max")
        if positionCommand != nil {
            switch try reader.string("device_class") {
            case "window": service = .window
            case "door": service = .door
            default: break
            }
        }
        settings.commandTopic = (positionCommand ?? command ?? tiltCommand)?.topic ?? ""
        settings.power = position ?? state ?? tilt
    }

    private mutating func readCommands(_ reader: KeyReader) throws(MQTTProblem) {
        guard let topic = try reader.topic("command_topic") else { return }
        command = .init(topic: topic)
        for (key, word, motion) in [
            ("payload_open", "OPEN", CoverMotion.opening), ("payload_close", "CLOSE", .closing),
            ("payload_stop", "STOP", .stopped),
        ] where reader.keys[key]?.isNull != true {
            payloads[motion] = try reader.string(key) ?? word
        }
    }

    private mutating func readStates(_ reader: KeyReader) throws(MQTTProblem) {
        state = try reader.source(topic: "state_topic", template: "value_template")
        for (key, word, meaning) in [
            ("state_closed", "closed", Word.rests(0)), ("state_open", "open", .rests(100)),
            ("state_closing", "closing", .moves(.closing)), ("state_opening", "opening", .moves(.opening)),
            ("state_stopped", "stopped", .moves(.stopped)),
        ] {
            words[try reader.string(key) ?? word] = meaning
        }
    }

    private static func range(_ reader: KeyReader, _ closed: String, _ open: String) throws(MQTTProblem) -> Range {
        var range = Range()
        range.closed = try reader.integer(closed, in: numbers) ?? range.closed
        range.open = try reader.integer(open, in: numbers) ?? range.open
        guard range.open != range.closed else { throw .about(open, "is the same as \(closed)") }
        return range
    }

    // MARK: Zigbee2MQTT

    /// Returns the cover that an expose describes.
    ///
    /// The cover's state is used only if the cover has no position, because some devices report the state inverted.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard expose["type"]?.string == "cover", let features = expose["features"]?.array else { return nil }
        func property(_ name: String, settable: Bool = true) -> String? {
            features.first { $0["name"]?.string == name }.flatMap { feature in
                ((feature["access"]?.int ?? 0) & 2) != 0 || !settable ? device.property(feature) : nil
            }
        }
        let (position, state, tilt) = (property("position"), property("state"), property("tilt"))
        guard let main = position ?? state ?? tilt else { return nil }
        var cover = MQTTCover()
        var settings = try device.settings(.component(cover), kind)
        let topic = settings.commandTopic
        func command(_ property: String, isText: Bool = false) throws(MQTTProblem) -> MQTTLightSettings.Command {
            let value = isText ? #""{{ value }}""# : "{{ value }}"
            return .init(topic: topic, template: try MessageTemplate(#"{"\#(property)":\#(value)}"#))
        }
        func source(_ property: String) throws(MQTTProblem) -> MQTTLightSettings.Source {
            try settings.state("{{ value_json['\(property)'] }}")
        }
        if let position {
            cover.positionCommand = try command(position)
            cover.position = try source(position)
            if let (property, words) = movement(of: device) {
                cover.state = try source(property)
                cover.words = words
            }
        } else if let state {
            cover.state = try source(state)
            cover.words = ["OPEN": .rests(100), "CLOSE": .rests(0), "STOP": .moves(.stopped)]
        }
        if let state {
            cover.command = try command(state, isText: true)
            cover.payloads = [.opening: "OPEN", .closing: "CLOSE", .stopped: "STOP"]
        }
        if let tilt {
            cover.tiltCommand = try command(tilt)
            cover.tilt = try source(tilt)
        }
        settings.schema = .component(cover)
        settings.power = cover.position ?? cover.state ?? cover.tilt
        settings.ask(for: main)
        let endpoint = expose["endpoint"]?.string.map { "_\($0)" } ?? ""
        return try device.entity(
            "\(device.address)_cover\(endpoint)_zigbee2mqtt", settings, part: expose["endpoint"]?.string)
    }

    private init() {}

    /// Returns the property and the words that report the movement, if the device has them (zigbee2mqtt,
    /// homeassistant.ts).
    private static func movement(of device: Zigbee2MQTTDevice) -> (String, [String: Word])? {
        for other in device.json["definition"]?["exposes"]?.array ?? [] {
            guard let name = other["name"]?.string, name == "moving" || name == "motor_state",
                let property = device.property(other), let values = other["values"]?.array
            else { continue }
            var words: [String: Word] = [:]
            for value in values.prefix(16).compactMap(\.string) {
                let motion = motions.first { $0.value.contains(value.lowercased()) }?.key
                words[value] = motion.map(Word.moves)
            }
            if Set(words.values.map { "\($0)" }).count == motions.count { return (property, words) }
        }
        return nil
    }

    private static let motions: [CoverMotion: Set<String>] = [
        .opening: ["opening", "open", "forward", "up", "rising"],
        .closing: ["closing", "close", "backward", "back", "reverse", "down", "declining"],
        .stopped: ["stopped", "stop", "pause", "paused"],
    ]

    // MARK: Tasmota

    /// Creates a shutter of Tasmota (Lights 8.3).
    ///
    /// - Parameters:
    ///   - number: The shutter's number, from 1.
    ///   - isInverted: Whether position 100 means closed.
    ///   - tilt: The angles of the closed and open slats in degrees, or `nil` if there are no slats.
    ///   - prefix: The command topic prefix, which ends with a slash.
    ///   - state: The topics that report the state.
    /// - Returns: The shutter.
    /// - Throws: ``MQTTProblem`` if a template is invalid.
    static func tasmota(
        _ number: Int, isInverted: Bool, tilt: (closed: Int, open: Int)?, prefix: String, _ state: Set<String>
    ) throws(MQTTProblem) -> MQTTCover {
        var cover = MQTTCover()
        func source(_ value: String) throws(MQTTProblem) -> MQTTLightSettings.Source {
            var source = MQTTLightSettings.Source(topics: state)
            // The answer to a query has the same values in a nested object.
            source.template = try MessageTemplate(
                "{% set s = value_json.StatusSNS if value_json.StatusSNS is defined else value_json %}"
                    + "{% if s.Shutter\(number) is defined %}{{ s.Shutter\(number).\(value) }}{% endif %}")
            return source
        }
        cover.position = try source("Position")
        cover.positionCommand = .init(topic: "\(prefix)ShutterPosition\(number)")
        cover.state = try source("Direction")
        cover.words = [
            "0": .moves(.stopped), "1": .moves(isInverted ? .closing : .opening),
            "-1": .moves(isInverted ? .opening : .closing),
        ]
        cover.command = .init(topic: "\(prefix)ShutterStop\(number)")
        cover.payloads = [.stopped: ""]
        if isInverted { cover.positions = Range(closed: 100, open: 0) }
        if let tilt {
            cover.tilts = Range(closed: tilt.closed, open: tilt.open)
            cover.tilt = try source("Tilt")
            cover.tiltCommand = .init(topic: "\(prefix)ShutterTilt\(number)")
        }
        return cover
    }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        if let word = light.text(state, topic, payload).flatMap({ words[$0] }) { read(word, &report, by: &light) }
        if let numbers = numbers(topic, payload, by: &light) {
            read(position: numbers.position, &report, by: &light, now: now)
            report.tilt = numbers.tilt.map { angle($0, by: light) }
        }
        if let number = light.text(tilt, topic, payload)?.plainNumber { report.tilt = angle(number, by: light) }
        if tiltCommand == nil { report.tilt = nil }
        return report
    }

    /// Applies a word from a state message.
    ///
    /// Only a cover that reports movements can report that it has stopped.
    private func read(_ word: Word, _ report: inout LightReport, by light: inout MQTTLight) {
        let former = light.memory.motion
        switch word {
        case .moves(.stopped):
            // Like Home Assistant, assume that a stopped cover is open unless it was closing or closed.
            let isClosed = former == .closing || (former != .opening && light.memory.position == 0)
            if position == nil { rest(isClosed ? 0 : 100, &report, by: &light) }
        case .moves(let motion):
            light.memory.motion = motion
            report.motion = motion
            return
        case .rests(let percent):
            if position == nil { rest(percent, &report, by: &light) }
        }
        guard former != nil else { return }
        light.memory.motion = .stopped
        report.motion = .stopped
    }

    private func rest(_ percent: Int, _ report: inout LightReport, by light: inout MQTTLight) {
        light.memory.position = percent
        report.position = percent
        report.motion = .stopped
    }

    private func read(
        position number: Double, _ report: inout LightReport, by light: inout MQTTLight, now: Duration
    ) {
        let whole = Int(exactly: number.rounded())
        let position =
            whole.flatMap { light.asked(.targetPosition, whenTold: $0) }
            ?? Int((positions.share(number) * 100).rounded())
        guard let motion = light.memory.motion else { return derive(position, &report, by: &light, now: now) }
        report.position = position
        report.motion = motion
    }

    /// Returns the device's numbers in a position message, which may also be an object with a `position` member.
    private func numbers(
        _ topic: String, _ payload: MQTTPayload, by light: inout MQTTLight
    ) -> (position: Double, tilt: Double?)? {
        guard let text = light.text(position, topic, payload) else { return nil }
        func valid(_ number: Double?) -> Double? { number.flatMap { abs($0) <= Self.largestNumber ? $0 : nil } }
        if let number = text.plainNumber { return valid(number).map { ($0, nil) } }
        let json = MQTTPayload(Array(text.utf8)).json
        func number(_ key: String) -> Double? { valid(json?[key]?.double ?? json?[key]?.string?.plainNumber) }
        return number("position").map { ($0, number("tilt_position")) }
    }

    private func angle(_ number: Double, by light: MQTTLight) -> Int {
        let whole = Int(exactly: number.rounded())
        return whole.flatMap { light.asked(.targetHorizontalTiltAngle, whenTold: $0) }
            ?? TiltAngle.degrees(tilts.share(number))
    }

    /// Applies the position of a cover that reports no movement.
    ///
    /// The cover counts as moving while its position approaches the target.
    private func derive(_ position: Int, _ report: inout LightReport, by light: inout MQTTLight, now: Duration) {
        light.deadlines.off = nil
        let before = light.memory.position
        let isFirst = light.memory.targetPosition != nil
        light.memory.targetPosition = nil
        light.memory.position = position
        report.position = position
        report.motion = .stopped
        guard let target = light.sent.numbers[.targetPosition]?[0] else { return }
        if isFirst, let before, before != position, position == target {
            // Some devices first repeat the target as their position and report the actual movement afterwards.
            light.memory.position = nil
            light.deadlines.off = now + Self.arrivalTime
            report.position = nil
            report.motion = before < target ? .opening : .closing
        } else if target != position {
            guard abs(target - position) <= abs(target - (before ?? position)) else {
                light.sent.numbers[.targetPosition] = nil
                return
            }
            light.deadlines.off = now + Self.restTime
            report.motion = position < target ? .opening : .closing
        }
    }

    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport? {
        guard let rest = light.deadlines.off, rest <= now else { return nil }
        light.deadlines.off = nil
        var report = LightReport()
        report.motion = .stopped
        if light.memory.position == nil, let target = light.sent.numbers[.targetPosition]?[0] {
            light.memory.position = target
            report.position = target
        } else {
            light.sent.numbers[.targetPosition] = nil
        }
        return report
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        if light.text(position, topic, payload) != nil, numbers(topic, payload, by: &light) == nil { return true }
        return light.text(tilt, topic, payload).map { $0.plainNumber == nil } ?? false
    }

    // MARK: Commands

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        if command.stops {
            light.sent.numbers[.targetPosition] = nil
            messages.append(try message(.stopped, to: &light))
        } else if let percent = command.targetPosition, moves {
            messages.append(try moveMessage(percent, to: &light))
        }
        if let angle = command.targetTilt, let tiltCommand {
            let share = TiltAngle.share(angle)
            let number = tilts.number(share)
            light.remember(.targetHorizontalTiltAngle, asked: angle, told: number)
            let percent = Int((share * 100).rounded())
            messages.append(
                try light.message(
                    tiltCommand, String(number), variables(["value": .int(number), "tilt_position": .int(percent)])))
        }
        guard !messages.isEmpty else { throw .refused("the cover doesn't support this command") }
        return messages
    }

    private func moveMessage(_ percent: Int, to light: inout MQTTLight) throws(LightError) -> MQTTMessage {
        guard let positionCommand else {
            let motion = CoverMotion(toward: percent, canStop: canStop)
            light.sent.numbers[.targetPosition] = motion.end.map { [$0, positions.number(Double($0) / 100)] }
            return try message(motion, to: &light)
        }
        let number = positions.number(Double(percent) / 100)
        light.remember(.targetPosition, asked: percent, told: number)
        light.memory.targetPosition = percent
        return try light.message(
            positionCommand, String(number), variables(["value": .int(number), "position": .int(percent)]))
    }

    private func message(_ motion: CoverMotion, to light: inout MQTTLight) throws(LightError) -> MQTTMessage {
        guard let command, let payload = payloads[motion] else {
            throw .refused("the cover doesn't support this command")
        }
        return try light.message(command, payload, [:])
    }

    private func variables(_ own: [String: JinjaValue]) -> [String: JinjaValue] {
        own.merging([
            "position_open": .int(positions.open), "position_closed": .int(positions.closed),
            "tilt_min": .int(tilts.closed), "tilt_max": .int(tilts.open),
        ]) { own, _ in own }
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        var report = LightReport()
        if tiltIsOptimistic || light.settings.isOptimistic { report.tilt = command.targetTilt }
        let isUnreported = light.settings.isOptimistic || (position == nil && state == nil)
        if command.stops {
            if isUnreported { report.motion = .stopped }
        } else if let percent = command.targetPosition {
            let end = positionCommand == nil ? CoverMotion(toward: percent, canStop: canStop).end : percent
            if isUnreported { report.position = end } else if positionCommand == nil { report.targetPosition = end }
        }
        return report
    }
}
