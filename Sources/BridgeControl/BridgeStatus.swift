internal import DeviceKit
internal import TerminalKit

/// The status of the bridge, as `status` shows it.
package struct BridgeStatus: BridgeMessage {
    /// The mDNS advertisement of the bridge.
    package struct Advertisement: BridgeMessage {
        /// The state of the advertisement, as one word.
        ///
        /// Newer daemons may use additional words.
        package struct State: RawRepresentable, Codable, Sendable, Equatable {
            package let rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }

            /// Advertisement is disabled.
            package static let off = State(rawValue: "off")
            /// The bridge can't be advertised until an external condition changes, such as the start of Avahi.
            package static let waiting = State(rawValue: "waiting")
            /// The bridge isn't advertised, because another host has the same identity.
            package static let withheld = State(rawValue: "withheld")
            /// The name is being probed on the network.
            package static let registering = State(rawValue: "registering")
            /// Controllers can find the bridge.
            package static let published = State(rawValue: "published")
            /// Avahi rejected the service; the bridge retries.
            package static let failed = State(rawValue: "failed")

            /// All states that this version knows.
            package static let all = [off, waiting, withheld, registering, published, failed]
        }

        package var state: State
        /// The mDNS instance name, including the number that is added if another host uses the name.
        package var name: String
        /// The reason why the bridge isn't advertised although it should be.
        package var error: String?

        package init(state: State, name: String, error: String? = nil) {
            self.state = state
            self.name = name
            self.error = error
        }
    }

    /// The status of an entry of the configuration's `drivers`.
    package struct Driver: BridgeMessage {
        /// The state of a driver, as one word.
        ///
        /// Newer daemons may use additional words.
        package struct Code: RawRepresentable, Codable, Sendable, Equatable {
            package let rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }

            /// The driver hasn't reported its state yet.
            package static let starting = Code(rawValue: "starting")
            /// The driver is working.
            package static let running = Code(rawValue: "running")
            /// The driver has a problem or has ended.
            package static let degraded = Code(rawValue: "degraded")
        }

        package var id: String
        /// The driver's name, such as `simulated` or `mqtt`.
        package var driver: String
        /// A human-readable state: the code, followed by a colon and the reason if there is one.
        package var state: String
        /// The code, or `nil` from a daemon without codes.
        package var code: Code?
        /// The problem that needs attention, if any.
        package var reason: String?
        /// The number of messages and values from the light system that the driver or the bridge has dropped since the
        /// start, or `nil` from an older daemon.
        package var dropped: UInt64?

        package init(id: String, driver: String, code: Code, reason: String? = nil, dropped: UInt64? = nil) {
            self.id = id
            self.driver = driver
            self.code = code
            self.reason = reason
            self.dropped = dropped
            state = reason.map { "\(code.rawValue): \($0)" } ?? code.rawValue
        }

        /// A Boolean value that indicates whether the driver is working and needs no attention.
        package var isWell: Bool { (code ?? Code(rawValue: state)) == .running }
    }

    /// The number of devices and of reachable devices.
    package struct Lights: BridgeMessage {
        package var count: Int
        /// The number of reachable devices.
        package var reachable: Int

        package init(count: Int, reachable: Int) {
            self.count = count
            self.reachable = reachable
        }
    }

    /// The number of devices of a kind.
    package struct KindCount: BridgeMessage {
        /// The kind's name in the `include` key.
        package var kind: String
        package var count: Int

        /// The number and the kind, such as `12 sensors`.
        package var words: String {
            let known = LightKind.allCases.first { $0.plural == kind }
            return "\(count) \(count == 1 ? known?.rawValue ?? kind : kind)"
        }

        package init(kind: String, count: Int) {
            self.kind = kind
            self.count = count
        }
    }

    /// A bridge of the daemon.
    ///
    /// A bridge has at most 149 lights.
    package struct Bridge: BridgeMessage {
        /// The number of the bridge, from 1.
        package var number: Int
        package var name: String
        package var deviceID: String
        package var port: Int
        package var configurationNumber: Int
        package var paired: Bool
        /// The number of connected controllers.
        package var controllers: Int
        /// The number of lights of the bridge.
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

    // These properties describe the first bridge.
    package var name: String
    package var deviceID: String
    /// The time at which the bridge started, in ISO 8601.
    ///
    /// A restore or a reset restarts the bridge.
    package var since: String
    package var port: Int
    package var configurationNumber: Int
    package var paired: Bool
    /// The number of connected controllers.
    package var controllers: Int
    package var advertisement: Advertisement
    /// All bridges, or `nil` from a daemon that supports only one bridge.
    package var bridges: [Bridge]?
    package var drivers: [Driver]
    package var lights: Lights
    /// The devices by kind, or `nil` from an older daemon.
    package var kinds: [KindCount]?
    /// The kinds that aren't included, with the numbers of their devices, or `nil` from an older daemon.
    package var hiddenKinds: [KindCount]?
    /// A configuration line that includes the hidden kinds, or `nil` if no kind is hidden.
    package var includeLine: String?
    /// The human-readable descriptions of the problems that need attention.
    package private(set) var warnings: [String]
    /// The codes of the warnings, or `nil` from a daemon without codes.
    package private(set) var warningCodes: [BridgeWarning.Code]?
    /// The drivers and lights that the warnings refer to, or `nil` from an older daemon.
    package private(set) var warningSubjects: [BridgeWarning.Subject]?

    package init(
        name: String, deviceID: String, since: String, port: Int, configurationNumber: Int, paired: Bool,
        controllers: Int, advertisement: Advertisement, bridges: [Bridge]? = nil, drivers: [Driver], lights: Lights,
        kinds: [KindCount]? = nil, hiddenKinds: [KindCount]? = nil, includeLine: String? = nil,
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
        self.kinds = kinds
        self.hiddenKinds = hiddenKinds
        self.includeLine = includeLine
        self.warnings = warnings.map(\.message)
        warningCodes = warnings.map(\.code)
        warningSubjects = warnings.map(\.subject)
    }

    /// The number of devices by kind, such as `2 lights, 1 switch`.
    package var deviceCounts: String {
        guard let kinds, !kinds.isEmpty else { return lights.count.of("device") }
        return kinds.map(\.words).joined(separator: ", ")
    }

    /// All warnings.
    ///
    /// Each begins with the driver or the light that it refers to.
    package var warningLines: [(code: BridgeWarning.Code?, text: String)] {
        warnings.enumerated().map { index, message in
            let subject = warningSubjects.flatMap { index < $0.count ? $0[index] : nil }
            let code = warningCodes.flatMap { index < $0.count ? $0[index] : nil }
            guard let name = subject?.light ?? subject?.driver, !message.contains(name) else { return (code, message) }
            return (code, "\(name): \(message)")
        }
    }

    /// All warnings with their codes and subjects; empty from a daemon without codes.
    package var codedWarnings: [BridgeWarning] {
        let subjects = warningSubjects ?? []
        return zip(warnings, warningCodes ?? []).enumerated().map { index, warning in
            BridgeWarning(
                warning.1, warning.0, about: index < subjects.count ? subjects[index] : BridgeWarning.Subject())
        }
    }

    /// The warnings about drivers and lights.
    package var lightWarnings: [BridgeWarning] { codedWarnings.filter { $0.code == .lights } }

    package enum CodingKeys: String, CodingKey {
        case name
        case deviceID = "deviceId"
        case since, port, configurationNumber, paired, controllers, advertisement, bridges, drivers, lights, warnings
        case kinds, hiddenKinds, includeLine, warningCodes, warningSubjects
    }
}
