import ConfigurationKit
import YAMLKit

/// The `bridge` section.
struct BridgeSection: DeclaredSection, Equatable, Sendable {
    /// The TCP port for controllers.
    enum Port: Equatable, Sendable {
        /// A free port that is chosen once and then kept.
        case automatic
        case fixed(UInt16)
    }

    /// The service that advertises the bridge to controllers.
    enum Advertising: String, Equatable, Sendable, CaseIterable {
        case avahi, none
    }

    var name: ConfiguredName
    var port: Port
    /// The setup code, or `nil` to create a code on the first start and keep it.
    var setupCode: ConfiguredSetupCode?
    /// The interfaces that are used for TCP and mDNS.
    var interfaces: ConfiguredInterfaces
    var advertise: Advertising
    /// The time after an event message during which further changes are collected into the next message.
    ///
    /// The first change is sent immediately.
    var eventWindow: Duration
    /// A Boolean value that indicates whether owners of the home can download backups on the web page.
    var allowsPageBackups: Bool
    /// The ownership token that controllers need in addition to the setup code, or `nil` if the code is sufficient, as
    /// is usual in HomeKit.
    var ownership: OwnershipSection?

    static var keys: [DeclaredKey<BridgeSection>] {
        [
            DeclaredKey(
                "name", \.name, .restart,
                .byDefault("Lamplighter", explanation: "shown by the Home app; a few digits are added on the network")),
            DeclaredKey(
                "port", \.port, .restart, .byDefault("51826", explanation: "auto: a free port, chosen once and kept")),
            DeclaredKey(
                optional: "setup-code", \.setupCode, .restart,
                .only(
                    "415-27-893", explanation: "default: created on the first start; lamplighter setup shows it")),
            DeclaredKey(
                "interfaces", \.interfaces, .restart,
                .byDefault("auto", explanation: "or a list such as [eth0, wlan0], for both TCP and mDNS")),
            DeclaredKey("advertise", \.advertise, .restart, .byDefault("avahi", explanation: "or none")),
            DeclaredKey(
                "event-window", \.eventWindow, .reload,
                .byDefault("250ms", explanation: "how long later changes are collected; the first is sent at once"),
                written: DurationText.self
            ) { window, path in
                guard window.duration <= .seconds(10) else {
                    throw ConfigurationProblem("the duration is too long", remedy: "use 0ms to 10s", at: path)
                }
                return window.duration
            },
            DeclaredKey(
                "page-backups", \.allowsPageBackups, .reload,
                .byDefault(
                    "false", explanation: "or true: owners can download backups, which contain keys, on the page")),
            DeclaredKey(
                optional: "ownership", \.ownership, .restart,
                .only(
                    "{vendor: org.example.lamps, token-file: /etc/lamplighter/ownership-token}",
                    explanation: """
                        Require a manufacturer's token for pairing; default: none. Apple's Home app has no tokens and can't pair \
                        then. The file's first line is the token, 32 to 1024 hexadecimal digits (openssl rand -hex 32). Other \
                        users must not be able to read it (chmod o=).
                        """)),
        ]
    }

    /// Creates a section with the default values.
    init() {
        name = ConfiguredName("Lamplighter")
        port = .fixed(51826)
        interfaces = .automatic
        advertise = .avahi
        eventWindow = .milliseconds(250)
        allowsPageBackups = false
    }
}

extension BridgeSection.Port: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            guard let port = UInt16(exactly: number), port > 0 else {
                throw ConfigurationProblem(
                    "not a valid port", remedy: "use 1 to 65535, or auto", at: decoder.codingPath)
            }
            self = .fixed(port)
            return
        }
        let text = try? container.decode(String.self)
        if text == "auto" {
            self = .automatic
            return
        }
        let number = text.flatMap { UInt16($0) } ?? 0
        let isQuoted = number > 0 && text == "\(number)"
        throw ConfigurationProblem(
            "not a valid port",
            remedy: isQuoted ? "remove the quotes" : "use a number from 1 to 65535, or auto",
            at: decoder.codingPath)
    }
}

extension BridgeSection.Advertising: Decodable {
    init(from decoder: any Decoder) throws {
        guard let value = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) else {
            throw ConfigurationProblem(
                "unknown way to advertise", remedy: "use avahi or none", at: decoder.codingPath)
        }
        self = value
    }
}
