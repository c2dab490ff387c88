package import DeviceKit
package import Logging

/// The configuration keys of the `simulated` driver: lights that exist without hardware.
package struct SimulatedDriverConfiguration: LightDriverConfiguration {
    package static let driverName = "simulated"

    /// The lights, whose ids must be unique.
    package var lights: [SimulatedLight]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case lights
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lights = try container.decodeIfPresent([SimulatedLight].self, forKey: .lights) ?? []
        var ids: Set<LightID> = []
        for light in lights where !ids.insert(light.description.id).inserted {
            throw ConfigurationProblem(
                "two lights have the id \"\(light.description.id)\"", remedy: "give each light a different id",
                forKey: .lights, in: container)
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        SimulatedLightDriver(configuration: self, logger: logger)
    }
}

/// One simulated light: its description and its behavior.
package struct SimulatedLight: Equatable, Sendable {
    /// The commands that fail.
    package enum Failure: Equatable, Sendable {
        case never
        /// The light is unreachable.
        case unreachable
        /// The light never answers.
        case silent
        /// Every nth command is refused.
        case every(Int)
    }

    /// The reports that the light sends after a command.
    package enum Report: String, CaseIterable, Sendable {
        /// The light reports its new state at once.
        case push
        /// The light reports the steps of its transition, the last of which is the new state.
        case stepped
        case none
    }

    package var description: LightDescription
    /// The delay between a command and the light's answer.
    package var latency: Duration
    /// The duration of a fade, of a cover's movement from closed to open, or of a lock's movement.
    package var transition: Duration
    package var failure: Failure
    package var report: Report
}

extension SimulatedLight: Decodable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, kind, brightness, color, temperature, latency, transition, fail, report
        case speed, direction, oscillation, readings, tilt, buttons, doorbell
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(String.self, forKey: .id)
        guard LightIDRule.accepts(id) else {
            throw ConfigurationProblem(
                LightIDRule.problem, remedy: LightIDRule.remedy, forKey: .id, in: container)
        }
        let kind = try container.decodeName(LightKind.self, forKey: .kind) ?? .light
        let brightness = try container.decodeIfPresent(Bool.self, forKey: .brightness) ?? false
        let color = try container.decodeIfPresent(Bool.self, forKey: .color) ?? false
        let temperature = try container.decodeIfPresent(Bool.self, forKey: .temperature) ?? false
        let speed = try container.decodeIfPresent(Bool.self, forKey: .speed) ?? false
        let direction = try container.decodeIfPresent(Bool.self, forKey: .direction) ?? false
        let oscillation = try container.decodeIfPresent(Bool.self, forKey: .oscillation) ?? false
        let tilt = try container.decodeIfPresent(Bool.self, forKey: .tilt) ?? false
        let readings = try Self.readings(container)
        let doorbell = try container.decodeIfPresent(Bool.self, forKey: .doorbell) ?? false
        let owners: [(key: CodingKeys, isSet: Bool, kind: LightKind)] = [
            (.brightness, brightness, .light), (.color, color, .light), (.temperature, temperature, .light),
            (.speed, speed, .fan), (.direction, direction, .fan), (.oscillation, oscillation, .fan),
            (.readings, kind != .meter && !readings.allSatisfy(\.isMeter), .sensor), (.tilt, tilt, .cover),
            (.doorbell, doorbell, .button),
        ]
        if let wrong = owners.first(where: { $0.isSet && $0.kind != kind }) {
            throw ConfigurationProblem(
                "only for kind: \(wrong.kind.rawValue), but the kind is \(kind.rawValue)",
                remedy: "omit it, or set kind to \(wrong.kind.rawValue)", forKey: wrong.key, in: container)
        }
        guard ![.sensor, .meter].contains(kind) || !readings.isEmpty else {
            let example = kind == .sensor ? "motion, temperature" : "power, energy"
            throw ConfigurationProblem(
                "a \(kind.rawValue) needs readings", remedy: "add some, such as readings: [\(example)]",
                forKey: .kind,
                in: container)
        }
        transition = try container.decodeIfPresent(DurationText.self, forKey: .transition)?.duration ?? .zero
        latency = try container.decodeIfPresent(DurationText.self, forKey: .latency)?.duration ?? .zero
        failure = try container.decodeIfPresent(Failure.self, forKey: .fail) ?? .never
        report = try container.decodeName(Report.self, forKey: .report) ?? .push
        let name = try container.decodeIfPresent(String.self, forKey: .name)
        try container.checkName(name, forKey: .name)
        var capabilities = LightCapabilities(
            brightness: brightness, color: color, temperature: temperature ? 153...500 : nil,
            transition: transition > .zero && kind.rules.power != nil)
        capabilities.speed = speed
        capabilities.direction = direction
        capabilities.oscillation = oscillation
        capabilities.readings = readings
        capabilities.tilt = tilt
        capabilities.stop = kind == .cover
        capabilities.buttons = try Self.buttons(container, kind, isDoorbell: doorbell)
        description = LightDescription(
            id: LightID(id), name: name ?? id, kind: kind, capabilities: capabilities, manufacturer: "Lamplighter",
            model: "Simulated \(kind.rawValue)", serialNumber: id)
        description.addMeter(readings)
    }

    /// Returns the buttons, which a device of any kind can have; a device of kind `button` has at least one.
    private static func buttons(
        _ container: KeyedDecodingContainer<CodingKeys>, _ kind: LightKind, isDoorbell: Bool
    ) throws -> [PushButton] {
        let ids = try container.decodeIfPresent([String].self, forKey: .buttons) ?? (kind == .button ? ["1"] : [])
        if let problem = ids.first(where: { !LightIDRule.accepts($0) || $0.contains("#") }) {
            throw ConfigurationProblem(
                "\(problem.prefix(64)) isn't the name of a button", remedy: "use names such as buttons: [top, bottom]",
                forKey: .buttons, in: container)
        }
        guard Set(ids).count == ids.count, kind != .button || !ids.isEmpty else {
            throw ConfigurationProblem(
                ids.isEmpty ? "a device of this kind needs at least one button" : "two buttons have the same name",
                remedy: "use names such as buttons: [top, bottom]", forKey: .buttons, in: container)
        }
        return ids.enumerated().map { PushButton(id: $1, name: $1, isDoorbell: isDoorbell && $0 == 0) }
    }

    private static func readings(_ container: KeyedDecodingContainer<CodingKeys>) throws -> Set<SensorReading> {
        let names = try container.decodeIfPresent([String].self, forKey: .readings) ?? []
        return Set(
            try names.map { name in
                guard let reading = SensorReading(rawValue: name) else {
                    throw ConfigurationProblem(
                        "unknown reading \(name.prefix(64))",
                        remedy: "choose from " + SensorReading.allCases.map(\.rawValue).joined(separator: ", "),
                        forKey: .readings, in: container)
                }
                return reading
            })
    }
}

extension SimulatedLight.Failure: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = (try? container.decode(String.self)) ?? ""
        let words = text.split(separator: " ")
        switch text {
        case "never": self = .never
        case "unreachable": self = .unreachable
        case "silent": self = .silent
        default:
            guard words.count == 2, words[0] == "every", let number = Int(words[1]), number > 0 else {
                throw ConfigurationProblem(
                    "unknown failure", remedy: "use never, unreachable, silent, or a form such as every 3",
                    at: container.codingPath)
            }
            self = .every(number)
        }
    }
}
