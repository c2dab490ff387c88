/// How the bridge is doing, as `status` shows it.
package struct BridgeStatus: BridgeMessage {
    /// Whether and as what mDNS shows the bridge.
    package struct Advertisement: BridgeMessage {
        /// One word; a newer daemon may know more of them.
        package struct State: RawRepresentable, Codable, Sendable, Equatable {
            package let rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }

            /// It is not to be shown.
            package static let off = State(rawValue: "off")
            /// Something outside has to come first, such as Avahi.
            package static let waiting = State(rawValue: "waiting")
            /// Another host has the same identity.
            package static let withheld = State(rawValue: "withheld")
            /// The name is being probed on the network.
            package static let registering = State(rawValue: "registering")
            /// Controllers can find it.
            package static let published = State(rawValue: "published")
            /// Avahi refused; it is tried again.
            package static let failed = State(rawValue: "failed")

            /// The states of this version.
            package static let all = [off, waiting, withheld, registering, published, failed]
        }

        package var state: State
        /// The mDNS instance name, also after a collision.
        package var name: String
        /// Why the bridge is not advertised, if it should be and is not.
        package var error: String?

        package init(state: State, name: String, error: String? = nil) {
            self.state = state
            self.name = name
            self.error = error
        }
    }

    /// One entry of the configuration's `drivers`.
    package struct Driver: BridgeMessage {
        /// One word; a newer daemon may know more of them.
        package struct Code: RawRepresentable, Codable, Sendable, Equatable {
            package let rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }

            /// It has not said yet how it is doing.
            package static let starting = Code(rawValue: "starting")
            /// It is at work and needs no attention.
            package static let running = Code(rawValue: "running")
            /// Something is wrong with it, or it has ended.
            package static let degraded = Code(rawValue: "degraded")
        }

        package var id: String
        /// The driver's name: `simulated`, `mqtt`.
        package var driver: String
        /// The code, and behind a colon the reason; for people.
        package var state: String
        /// `nil` if the daemon is older than codes.
        package var code: Code?
        /// What needs attention.
        package var reason: String?
        /// How much of what its light system said was dropped since the start; `nil` if the daemon is older than that.
        package var dropped: UInt64?

        package init(id: String, driver: String, code: Code, reason: String? = nil, dropped: UInt64? = nil) {
            self.id = id
            self.driver = driver
            self.code = code
            self.reason = reason
            self.dropped = dropped
            state = reason.map { "\(code.rawValue): \($0)" } ?? code.rawValue
        }

        /// Whether it is at work and needs no attention.
        package var isWell: Bool { (code ?? Code(rawValue: state)) == .running }
    }

    /// How many lights there are, and how many of them answer.
    package struct Lights: BridgeMessage {
        package var count: Int
        /// Those of them that answer.
        package var reachable: Int

        package init(count: Int, reachable: Int) {
            self.count = count
            self.reachable = reachable
        }
    }

    /// One of the bridges that the daemon shows its lights on: a bridge has 149 at most.
    package struct Bridge: BridgeMessage {
        /// From 1.
        package var number: Int
        package var name: String
        package var deviceID: String
        package var port: Int
        package var configurationNumber: Int
        package var paired: Bool
        /// How many controllers are connected.
        package var controllers: Int
        /// How many lights it shows.
        package var lights: Int
        package var advertisement: Advertisement

        package init(
            number: Int, name: String, deviceID: String, port: Int, configurationNumber: Int, paired: Bool,
            controllers: Int, lights: Int, advertisement: Advertisement
        ) {
            self.number = number
            self.name = name
            self.deviceID = deviceID
            self.port = port
            self.configurationNumber = configurationNumber
            self.paired = paired
            self.controllers = controllers
            self.lights = lights
            self.advertisement = advertisement
        }

        package enum CodingKeys: String, CodingKey {
            case number, name
            case deviceID = "deviceId"
            case port, configurationNumber, paired, controllers, lights, advertisement
        }
    }

    // What is said of one bridge is true of the first.
    package var name: String
    package var deviceID: String
    /// When the bridge came up, in ISO 8601; it comes up anew after a restore or a reset.
    package var since: String
    package var port: Int
    package var configurationNumber: Int
    package var paired: Bool
    /// How many controllers are connected.
    package var controllers: Int
    package var advertisement: Advertisement
    /// All bridges; `nil` if the daemon is older than further bridges.
    package var bridges: [Bridge]?
    package var drivers: [Driver]
    package var lights: Lights
    /// What needs attention; for people.
    package private(set) var warnings: [String]
    /// What each of the warnings is about; `nil` if the daemon is older than codes.
    package private(set) var warningCodes: [BridgeWarning.Code]?
    /// Which driver and light each of them is about; `nil` if the daemon is older than that.
    package private(set) var warningSubjects: [BridgeWarning.Subject]?

    package init(
        name: String, deviceID: String, since: String, port: Int, configurationNumber: Int, paired: Bool,
        controllers: Int, advertisement: Advertisement, bridges: [Bridge]? = nil, drivers: [Driver], lights: Lights,
        warnings: [BridgeWarning]
    ) {
        self.bridges = bridges
        self.name = name
        self.deviceID = deviceID
        self.since = since
        self.port = port
        self.configurationNumber = configurationNumber
        self.paired = paired
        self.controllers = controllers
        self.advertisement = advertisement
        self.drivers = drivers
        self.lights = lights
        self.warnings = warnings.map(\.message)
        warningCodes = warnings.map(\.code)
        warningSubjects = warnings.map(\.subject)
    }

    /// All warnings, each beginning with the driver or the light that it is about.
    package var warningLines: [(code: BridgeWarning.Code?, text: String)] {
        warnings.enumerated().map { index, message in
            let subject = warningSubjects.flatMap { index < $0.count ? $0[index] : nil }
            let code = warningCodes.flatMap { index < $0.count ? $0[index] : nil }
            guard let name = subject?.light ?? subject?.driver, !message.contains(name) else { return (code, message) }
            return (code, "\(name): \(message)")
        }
    }

    /// The warnings about drivers and lights.
    package var lightWarnings: [BridgeWarning] {
        let subjects = warningSubjects ?? []
        return zip(warnings, warningCodes ?? []).enumerated().filter { $0.element.1 == .lights }.map { index, warning in
            BridgeWarning(.lights, warning.0, about: index < subjects.count ? subjects[index] : BridgeWarning.Subject())
        }
    }

    package enum CodingKeys: String, CodingKey {
        case name
        case deviceID = "deviceId"
        case since, port, configurationNumber, paired, controllers, advertisement, bridges, drivers, lights, warnings
        case warningCodes, warningSubjects
    }
}
