import AccessoryRole
import ConfigurationKit
import DeviceBridge
import DeviceKit
import TerminalKit

/// The contents of `lamplighter.yaml`.
struct BridgeConfiguration: DeclaredSection, Sendable {
    var bridge = BridgeSection()
    var drivers: [DriverEntry] = []
    /// The kinds of devices to show.
    var include = IncludedKinds()
    /// The sections of individual lights.
    var lights: [LightKey: LightSection] = [:]
    /// The metrics server, or `nil` if it is disabled.
    var metrics: MetricsSection?

    /// The keys other than `drivers` and `lights`.
    ///
    /// `drivers` and `lights` can't be declared, because they depend on each other and because each driver has
    /// different keys.
    static var keys: [DeclaredKey<BridgeConfiguration>] {
        [
            DeclaredKey(section: "bridge", \.bridge),
            DeclaredKey(
                "include", \.include, .reload,
                .byDefault(
                    IncludedKinds().text,
                    explanation: """
                        \(IncludedKinds.explanation). If you remove a kind, its devices are hidden, and keep their \
                        numbers, rooms and scenes; lamplighter status counts them.
                        """)),
            DeclaredKey(
                optional: "metrics", \.metrics, .restart,
                .only(
                    "{listen: 127.0.0.1:9251}",
                    explanation: """
                        Metrics for Prometheus, unencrypted for every client that reaches the address; default: none. \
                        Documentation/Observability.md lists them.
                        """)),
        ]
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case drivers, lights
    }

    /// Creates a configuration with the default values.
    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try readKeys(from: decoder)
        drivers = try container.decodeIfPresent([DriverEntry].self, forKey: .drivers) ?? []
        let sections = try container.decodeIfPresent([String: LightSection].self, forKey: .lights) ?? [:]

        try Self.checkDriverIDs(of: drivers, at: decoder.codingPath + [CodingKeys.drivers])
        for (text, section) in sections.sorted(by: { $0.key < $1.key }) {
            let path = decoder.codingPath + [CodingKeys.lights, ConfigurationKey(text)]
            lights[try LightKey(text, drivers: drivers.map(\.id), at: path)] = section
        }
    }

    private static func checkDriverIDs(of drivers: [DriverEntry], at path: [any CodingKey]) throws {
        var seen: Set<String> = []
        for (index, entry) in drivers.enumerated() where !seen.insert(entry.id).inserted {
            throw ConfigurationProblem(
                "another driver already has the id \(entry.id)", remedy: "choose a different id",
                at: path + [ConfigurationKey(index), ConfigurationKey("id")])
        }
    }
}

/// The configuration of a single light.
struct LightSection: Decodable, Equatable, Sendable {
    /// The name to show instead of the name that the driver reports.
    var name: ConfiguredName?
    /// A Boolean value that indicates whether the light is hidden from controllers.
    var hidden: Bool
    /// The effect of a tap on the light's tile in a controller.
    var tap: LightOverride.Tap
    /// The duration of transitions, or `nil` for the light's default.
    var transition: Duration?
    /// The concentrations above which a sensor reports detected gas.
    var thresholds = GasThresholds()

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, hidden, tap, transition
        case carbonMonoxide = "co-threshold"
        case carbonDioxide = "co2-threshold"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(ConfiguredName.self, forKey: .name)
        hidden = try container.decodeIfPresent(Bool.self, forKey: .hidden) ?? false
        let tap = try container.decodeIfPresent(String.self, forKey: .tap) ?? LightOverride.Tap.full.rawValue
        guard let known = LightOverride.Tap(rawValue: tap) else {
            throw ConfigurationProblem(
                "not a valid value for tap", remedy: "use full or restore",
                at: container.codingPath + [CodingKeys.tap])
        }
        self.tap = known
        transition = try container.decodeIfPresent(DurationText.self, forKey: .transition)?.duration
        // Limit the duration, because all states that the light reports during a transition are considered
        // intermediate.
        if let transition, transition > .seconds(60) {
            throw ConfigurationProblem(
                "the duration is too long", remedy: "use 0ms to 60s",
                at: container.codingPath + [CodingKeys.transition])
        }
        for (key, threshold) in [
            (CodingKeys.carbonMonoxide, \GasThresholds.carbonMonoxide), (.carbonDioxide, \.carbonDioxide),
        ] {
            guard let value = try container.decodeIfPresent(Double.self, forKey: key) else { continue }
            guard value > 0, value <= 100_000 else {
                throw ConfigurationProblem(
                    "not a concentration in ppm", remedy: "use a number from 1 to 100000",
                    at: container.codingPath + [key])
            }
            thresholds[keyPath: threshold] = value
        }
    }
}

extension LightKey {
    fileprivate init(_ text: String, drivers: [String], at path: [any CodingKey]) throws(ConfigurationProblem) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, !text.hasPrefix("/") else {
            throw ConfigurationProblem(
                "not a valid device key", remedy: "use DRIVER/DEVICE, as lamplighter devices shows it", at: path)
        }
        let driver = String(parts[0])
        guard drivers.contains(driver) else {
            let remedy =
                driver.nearest(in: drivers).map { "use \($0)/\(parts[1])" }
                ?? (drivers.isEmpty ? "add the driver first" : "use one of \(drivers.joined(separator: ", "))")
            throw ConfigurationProblem("no driver has the id \(driver)", remedy: remedy, at: path)
        }
        self.init(driver: driver, light: LightID(String(parts[1])))
    }
}
