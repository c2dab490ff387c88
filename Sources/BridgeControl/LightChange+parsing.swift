import TerminalKit

extension LightChange {
    /// What a change is for, which decides what may stand in it.
    package enum Purpose: Sendable {
        /// `lights set`: what a controller may ask of a light.
        case command
        /// `simulate`: what may happen to a simulated light.
        case simulation

        /// The names of the values that it may have.
        package var names: [String] {
            let common = [
                "on", "brightness", "hue", "saturation", "temperature", "speed", "direction", "oscillates",
            ]
            return switch self {
            case .command: common
            case .simulation:
                common + ["reachable", "motion", "contact", "occupancy", "leak", "smoke"]
                    + ["humidity", "illuminance", "battery", "batteryLow"]
            }
        }
    }

    /// The names of values that are true or false.
    package static let switches: Set<String> = [
        "on", "oscillates", "reachable", "motion", "contact", "occupancy", "leak", "smoke", "batteryLow",
    ]

    /// Reads words such as `on=true brightness=40`.
    ///
    /// - Throws: ``BridgeControlError`` with code 64 that says what is wrong and what to write.
    package init(parsing words: [String], for purpose: Purpose) throws(BridgeControlError) {
        self.init()
        guard !words.isEmpty else {
            throw .usage(
                "nothing to change", remedy: "write for example on=true (\(purpose.names.joined(separator: ", ")))")
        }
        var seen: Set<String> = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw .usage(
                    "\"\(Self.shown(word))\" is no change", remedy: "write NAME=VALUE, for example brightness=40")
            }
            let name = parts[0]
            guard purpose.names.contains(name) else { throw Self.unknown(name, for: purpose) }
            guard seen.insert(name).inserted else { throw .usage("\(name) is given twice", remedy: "write it once") }
            try set(name, to: parts[1])
        }
        try validate(for: purpose)
    }

    /// Checks what came from elsewhere than ``init(parsing:for:)``.
    package func validate(for purpose: Purpose) throws(BridgeControlError) {
        guard !isEmpty else { throw .usage("nothing to change", remedy: "write for example on=true") }
        if reachable != nil, case .command = purpose {
            throw .usage("reachable cannot be set", remedy: "use simulate for a simulated light")
        }
        try Self.check("brightness", brightness.map(Double.init), within: 0...100, "percent")
        try Self.check("hue", hue, within: 0...360, "degrees")
        try Self.check("saturation", saturation, within: 0...100, "percent")
        try Self.check("speed", speed.map(Double.init), within: 0...100, "percent")
        if let direction, !["clockwise", "counterclockwise"].contains(direction) {
            throw .usage(
                "direction cannot be \"\(Self.shown(direction))\"", remedy: "write clockwise or counterclockwise")
        }
        switch purpose {
        case .command:
            guard !saysReadings else { throw .usage("a sensor cannot be told what it reads", remedy: "use simulate") }
            try Self.check("temperature", temperature, within: 50...500, "mired")
            guard mired != nil || temperature == nil else {
                throw .usage("temperature is in mired", remedy: "write a whole number")
            }
        case .simulation: try Self.check("temperature", temperature, within: -270...1000, "mired, or degrees Celsius")
        }
        try Self.check("humidity", humidity, within: 0...100, "percent")
        try Self.check("illuminance", illuminance, within: 0...200_000, "lux")
        try Self.check("battery", battery, within: 0...100, "percent")
        if temperature != nil, hue != nil || saturation != nil {
            throw .usage("a light shows a colour or a white", remedy: "write hue and saturation, or temperature")
        }
    }

    /// The temperature of a light; `nil` if it is none that a light can have.
    package var mired: Int? { temperature.flatMap { Int(exactly: $0) } }

    private var saysReadings: Bool {
        [motion, contact, occupancy, leak, smoke, batteryLow].contains { $0 != nil }
            || [humidity, illuminance, battery].contains { $0 != nil }
    }

    private mutating func set(_ name: String, to text: String) throws(BridgeControlError) {
        switch name {
        case "on": on = try Self.bool(name, text)
        case "reachable": reachable = try Self.bool(name, text)
        case "brightness": brightness = try Self.integer(name, text)
        case "temperature": temperature = try Self.number(name, text)
        case "speed": speed = try Self.integer(name, text)
        case "direction": direction = text
        case "oscillates": oscillates = try Self.bool(name, text)
        case "motion": motion = try Self.bool(name, text)
        case "contact": contact = try Self.bool(name, text)
        case "occupancy": occupancy = try Self.bool(name, text)
        case "leak": leak = try Self.bool(name, text)
        case "smoke": smoke = try Self.bool(name, text)
        case "batteryLow": batteryLow = try Self.bool(name, text)
        case "humidity": humidity = try Self.number(name, text)
        case "illuminance": illuminance = try Self.number(name, text)
        case "battery": battery = try Self.number(name, text)
        case "hue": hue = try Self.number(name, text)
        case "saturation": saturation = try Self.number(name, text)
        default: throw .usage("there is no \(Self.shown(name))")
        }
    }

    private static func unknown(_ name: String, for purpose: Purpose) -> BridgeControlError {
        if name == "reachable" {
            return .usage("reachable cannot be set", remedy: "use simulate for a simulated light")
        }
        return .usage("there is no \"\(shown(name))\"", remedy: "write one of \(purpose.names.joined(separator: ", "))")
    }

    private static func bool(_ name: String, _ text: String) throws(BridgeControlError) -> Bool {
        switch text.lowercased() {
        case "true", "on", "yes", "1": return true
        case "false", "off", "no", "0": return false
        default: throw .usage("\(name) cannot be \"\(shown(text))\"", remedy: "write true or false")
        }
    }

    private static func integer(_ name: String, _ text: String) throws(BridgeControlError) -> Int {
        guard let value = Int(text) else {
            throw .usage("\(name) cannot be \"\(shown(text))\"", remedy: "write a whole number")
        }
        return value
    }

    private static func number(_ name: String, _ text: String) throws(BridgeControlError) -> Double {
        guard let value = Double(text), value.isFinite else {
            throw .usage("\(name) cannot be \"\(shown(text))\"", remedy: "write a number")
        }
        return value
    }

    private static func check(
        _ name: String, _ value: Double?, within range: ClosedRange<Double>, _ unit: String
    ) throws(BridgeControlError) {
        guard let value, !range.contains(value) else { return }
        throw .usage(
            "\(name) is out of range", remedy: "write \(Int(range.lowerBound)) to \(Int(range.upperBound)) (\(unit))")
    }

    /// A word as typed, sanitized for a terminal.
    private static func shown(_ word: String) -> String { String(word.prefix(64)).sanitized }
}
