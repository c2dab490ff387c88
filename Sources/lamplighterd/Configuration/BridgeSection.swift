import DaemonKit
import LightKit

/// The `bridge` section: how the bridge shows itself.
struct BridgeSection: Decodable, Equatable, Sendable {
    /// Which TCP port controllers connect to.
    enum Port: Equatable, Sendable {
        /// A free one, chosen once and kept.
        case automatic
        case fixed(UInt16)
    }

    /// How controllers find the bridge.
    enum Advertising: String, Equatable, Sendable, CaseIterable {
        case avahi, none
    }

    var name: ConfiguredName
    var port: Port
    /// `nil` if it is to be made on first start and kept.
    var setupCode: ConfiguredSetupCode?
    /// Those that serve TCP and mDNS.
    var interfaces: ConfiguredInterfaces
    var advertise: Advertising
    /// How long later changes are collected; the first goes out at once.
    var eventWindow: Duration
    /// What controllers must show besides the setup code; `nil` for nothing, as HomeKit has it.
    var ownership: OwnershipSection?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, port, interfaces, advertise, ownership
        case setupCode = "setup-code"
        case eventWindow = "event-window"
    }

    /// What counts where nothing is written.
    init() {
        name = ConfiguredName("Lamplighter")
        port = .fixed(51826)
        interfaces = .automatic
        advertise = .avahi
        eventWindow = .milliseconds(250)
    }

    init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(ConfiguredName.self, forKey: .name) ?? name
        port = try container.decodeIfPresent(Port.self, forKey: .port) ?? port
        setupCode = try container.decodeIfPresent(ConfiguredSetupCode.self, forKey: .setupCode)
        interfaces = try container.decodeIfPresent(ConfiguredInterfaces.self, forKey: .interfaces) ?? interfaces
        advertise = try container.decodeIfPresent(Advertising.self, forKey: .advertise) ?? advertise
        ownership = try container.decodeIfPresent(OwnershipSection.self, forKey: .ownership)
        if let window = try container.decodeIfPresent(DurationText.self, forKey: .eventWindow) {
            guard window.duration <= .seconds(10) else {
                throw DecodingError.refused(
                    "this is too long", remedy: "write 0ms to 10s", at: container.codingPath + [CodingKeys.eventWindow])
            }
            eventWindow = window.duration
        }
    }
}

extension BridgeSection.Port: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            guard let port = UInt16(exactly: number), port > 0 else {
                throw DecodingError.refused(
                    "there is no port \(number)", remedy: "write 1 to 65535, or auto", at: decoder.codingPath)
            }
            self = .fixed(port)
        } else if (try? container.decode(String.self)) == "auto" {
            self = .automatic
        } else {
            throw DecodingError.refused(
                "this is no port", remedy: "write a number from 1 to 65535, or auto", at: decoder.codingPath)
        }
    }
}

extension BridgeSection.Advertising: Decodable {
    init(from decoder: any Decoder) throws {
        guard let value = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) else {
            throw DecodingError.refused(
                "there is no such way to advertise", remedy: "write avahi or none", at: decoder.codingPath)
        }
        self = value
    }
}
