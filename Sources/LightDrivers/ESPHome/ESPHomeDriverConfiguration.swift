import Discovery
package import LightKit
package import Logging

/// The keys of the driver `esphome`: where devices are, and which files hold their keys.
package struct ESPHomeDriverConfiguration: LightDriverConfiguration {
    package static let driverName = "esphome"

    /// Whether devices are found by mDNS.
    package var discover: Bool
    /// Devices that mDNS does not find.
    package var hosts: [ESPHomeHost]
    /// What devices that are found need, by their names.
    package var devices: [String: ESPHomeDeviceKeys]
    /// Whether switches are shown, too.
    package var switches: Bool

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts, devices, switches
    }

    package init(
        discover: Bool = true, hosts: [ESPHomeHost] = [], devices: [String: ESPHomeDeviceKeys] = [:],
        switches: Bool = false
    ) {
        self.discover = discover
        self.hosts = hosts
        self.devices = devices
        self.switches = switches
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        discover = try container.decodeIfPresent(Bool.self, forKey: .discover) ?? true
        hosts = try container.decodeIfPresent([ESPHomeHost].self, forKey: .hosts) ?? []
        devices = try container.decodeIfPresent([String: ESPHomeDeviceKeys].self, forKey: .devices) ?? [:]
        switches = try container.decodeIfPresent(Bool.self, forKey: .switches) ?? false
        guard discover || !hosts.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .discover, in: container,
                debugDescription:
                    "neither finds devices nor names one; write discover: true or hosts: [{host: 10.0.0.5}]")
        }
        guard discover || devices.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .devices, in: container,
                debugDescription: "this is for devices that are found; write discover: true, or key-file beside a host")
        }
        guard hosts.count <= ESPHomeHome.maximumDevices else {
            throw DecodingError.dataCorruptedError(
                forKey: .hosts, in: container,
                debugDescription: "more devices than one driver takes; write at most \(ESPHomeHome.maximumDevices)")
        }
        var names: Set<String> = []
        for host in hosts where !names.insert("\(host.host):\(host.port)").inserted {
            throw DecodingError.dataCorruptedError(
                forKey: .hosts, in: container,
                debugDescription: "\(host.host) stands here twice; remove one")
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        ESPHomeLightDriver(configuration: self, logger: logger) { () throws(DiscoveryError) in
            try AvahiServiceBrowser(type: ESPHomeLightDriver.serviceType, logger: logger)
        }
    }
}

/// A device by its address.
package struct ESPHomeHost: Hashable, Sendable, Decodable {
    package static let usualPort = 6053

    package var host: String
    package var port: Int
    /// The file with its encryption key.
    package var keyFile: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case host, port
        case keyFile = "key-file"
    }

    package init(host: String, port: Int = Self.usualPort, keyFile: String? = nil) {
        self.host = host
        self.port = port
        self.keyFile = keyFile
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        host = try container.decode(String.self, forKey: .host)
        guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2F })
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .host, in: container, debugDescription: "no host; write an address or a name, as 10.0.0.5")
        }
        port = try container.decodeIfPresent(Int.self, forKey: .port) ?? Self.usualPort
        guard (1...65_535).contains(port) else {
            throw DecodingError.dataCorruptedError(
                forKey: .port, in: container, debugDescription: "no port; write 1 to 65535, or leave it out for 6053")
        }
        keyFile = try container.decodeKeyFile(forKey: .keyFile)
    }
}

/// What a device that is found needs.
package struct ESPHomeDeviceKeys: Equatable, Sendable, Decodable {
    /// The file with its encryption key.
    package var keyFile: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case keyFile = "key-file"
    }

    package init(keyFile: String?) { self.keyFile = keyFile }

    package init(from decoder: any Decoder) throws {
        keyFile = try decoder.container(keyedBy: CodingKeys.self).decodeKeyFile(forKey: .keyFile)
    }
}

extension KeyedDecodingContainer {
    fileprivate func decodeKeyFile(forKey key: Key) throws -> String? {
        guard let path = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "no whole path; write /etc/lamplighter/NAME.key")
        }
        return path
    }
}
