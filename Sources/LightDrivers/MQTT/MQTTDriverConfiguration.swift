import BoundedJSON
package import DeviceKit
import Glibc
package import Logging

/// The configuration keys of the `mqtt` driver: the broker, the discovery prefixes, and hand-written lights, which
/// aren't announced.
package struct MQTTDriverConfiguration: LightDriverConfiguration {
    package static let driverName = "mqtt"

    package var connection: MQTTConnectionSettings
    /// The prefix of Home Assistant's discovery topics, or `nil` to ignore them.
    package var discoveryPrefix: String?
    /// The prefix of Tasmota's native discovery topics, or `nil` to ignore them.
    package var tasmotaPrefix: String?
    /// The base topic of Zigbee2MQTT, or `nil` to ignore its device lists.
    package var zigbee2MQTTBase: String?
    /// A Boolean value that indicates whether to publish a birth message, which makes producers repeat their
    /// announcements.
    ///
    /// Home Assistant does the same.
    package var announce: Bool
    /// The hand-written lights.
    package var lights: [MQTTEntity]

    package enum CodingKeys: String, CodingKey, CaseIterable, RemediedKeys {
        case url, user, discovery, lights, announce
        case passwordFile = "password-file"
        case caFile = "ca-file"
        case clientCertificate = "client-certificate"
        case clientKey = "client-key"
        case clientID = "client-id"
        /// The id of the driver, a key that all drivers have. The default client id is derived from it.
        case id

        package static let remedies = [
            "url": "add url: mqtt://HOST:1883", "host": "use url: mqtt://HOST:1883",
            "broker": "use url: mqtt://HOST:1883", "server": "use url: mqtt://HOST:1883",
            "port": "add the port to url: mqtt://HOST:1883", "username": "use user",
            "password": "add password-file: /etc/lamplighter/mqtt.password, and put the password in that file",
        ]
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let address: BrokerAddress
        let url = try container.decode(String.self, forKey: .url)
        do {
            address = try BrokerAddress(url)
        } catch {
            throw ConfigurationProblem(error.problem, remedy: error.remedy, forKey: .url, in: container)
        }
        let id = try container.decodeIfPresent(String.self, forKey: .id) ?? Self.driverName
        connection = MQTTConnectionSettings(
            address: address,
            clientID: try Self.clientID(container)
                ?? MQTTClientID.make(bridge: decoder.userInfo[.bridgeInstance] as? String, driver: id),
            user: try Self.text(.user, in: container), passwordFile: try Self.text(.passwordFile, in: container),
            caFile: try Self.text(.caFile, in: container),
            clientCertificate: try Self.text(.clientCertificate, in: container),
            clientKey: try Self.text(.clientKey, in: container))
        try Self.check(connection, container)
        let discovery = try container.decodeIfPresent(DiscoveryKeys.self, forKey: .discovery)
        discoveryPrefix = discovery.map(\.homeAssistant) ?? "homeassistant"
        tasmotaPrefix = discovery.map(\.tasmota) ?? "tasmota/discovery"
        zigbee2MQTTBase = discovery.map(\.zigbee2mqtt) ?? "zigbee2mqtt"
        announce = try container.decodeIfPresent(Bool.self, forKey: .announce) ?? false
        if announce, discoveryPrefix == nil {
            throw ConfigurationProblem(
                "announce requires discovery", remedy: "add discovery: {home-assistant: homeassistant}",
                forKey: .announce, in: container)
        }
        lights = try container.decodeIfPresent([HandWrittenLight].self, forKey: .lights)?.map(\.entity) ?? []
        var ids: Set<LightID> = []
        for light in lights where !ids.insert(light.description.id).inserted {
            throw ConfigurationProblem(
                "two lights have the id \"\(light.description.id)\"", remedy: "give each light a different id",
                forKey: .lights, in: container)
        }
    }

    private static func text(
        _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> String? {
        guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw ConfigurationProblem(
                "empty or not text", remedy: "set a value, or omit the key", forKey: key, in: container)
        }
        return text
    }

    private static func clientID(_ container: KeyedDecodingContainer<CodingKeys>) throws -> String? {
        guard let id = try container.decodeIfPresent(String.self, forKey: .clientID) else { return nil }
        guard (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 && $0 != 0x2B && $0 != 0x2F })
        else {
            throw ConfigurationProblem(
                "not a valid client id", remedy: "use 1 to 64 ASCII characters without spaces, #, + or /",
                forKey: .clientID, in: container)
        }
        return id
    }

    private static func check(
        _ connection: MQTTConnectionSettings, _ container: KeyedDecodingContainer<CodingKeys>
    ) throws {
        if connection.passwordFile != nil, connection.user == nil {
            throw ConfigurationProblem(
                "password-file requires a user", remedy: "add user:", forKey: .passwordFile, in: container)
        }
        if (connection.clientCertificate == nil) != (connection.clientKey == nil) {
            throw ConfigurationProblem(
                "client-certificate and client-key must be set together", remedy: "set both",
                forKey: connection.clientKey == nil ? .clientCertificate : .clientKey, in: container)
        }
        guard !connection.address.tls else { return }
        for (key, value) in [
            (CodingKeys.caFile, connection.caFile), (.clientCertificate, connection.clientCertificate),
        ] where value != nil {
            throw ConfigurationProblem(
                "this key requires TLS", remedy: "set url to mqtts://HOST:PORT", forKey: key, in: container)
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        MQTTLightDriver(configuration: self, logger: logger)
    }
}

/// The keys under `discovery`.
private struct DiscoveryKeys: Decodable {
    var homeAssistant, tasmota, zigbee2mqtt: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case homeAssistant = "home-assistant"
        case tasmota, zigbee2mqtt
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        homeAssistant = try Self.prefix(.homeAssistant, "homeassistant", container)
        tasmota = try Self.prefix(.tasmota, "tasmota/discovery", container)
        zigbee2mqtt = try Self.prefix(.zigbee2mqtt, "zigbee2mqtt", container)
    }

    private static func prefix(
        _ key: CodingKeys, _ usual: String, _ container: KeyedDecodingContainer<CodingKeys>
    ) throws -> String? {
        guard let prefix = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
        let isTopic =
            (1...128).contains(prefix.utf8.count) && !prefix.hasPrefix("/") && !prefix.hasSuffix("/")
            && prefix.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x23 && $0 != 0x2B }
        guard isTopic else {
            throw ConfigurationProblem(
                "not a valid topic prefix",
                remedy: "use a prefix such as \(usual), without + or #, and without / at either end",
                forKey: key, in: container)
        }
        return prefix
    }
}

/// Creates the default MQTT client id, which stays the same across restarts and differs for each bridge and driver.
enum MQTTClientID {
    static func make(bridge: String?, driver: String) -> String {
        let environment = getenv("STATE_DIRECTORY").map { String(cString: $0) }
        let parts = [hostID, bridge ?? environment ?? workingDirectory, driver]
        // Hash all parts with FNV-1a, so that the result doesn't reveal the host's id.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in parts.joined(separator: "\u{1F}").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return "lamplighter-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static var hostID: String {
        for path in ["/etc/machine-id", "/etc/hostname"] {
            guard let file = fopen(path, "re") else { continue }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = fread(&bytes, 1, bytes.count, file)
            if count > 0 { return String(decoding: bytes.prefix(count), as: UTF8.self) }
        }
        return ""
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }
}
