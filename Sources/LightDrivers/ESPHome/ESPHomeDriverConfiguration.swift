import DeviceKit
import Discovery

/// The configuration keys of the `esphome` driver: the devices' hosts and key files.
package struct ESPHomeDriverConfiguration: ConnectingDriver {
    /// A Boolean value that indicates whether devices are discovered by mDNS.
    package var discover: Bool
    /// The devices with a configured address, for networks in which mDNS doesn't find them.
    package var hosts: [ESPHomeHost]
    /// The configuration of discovered devices, by device name.
    package var devices: [String: ESPHomeDeviceKeys]
    /// A Boolean value that indicates whether switches are added in addition to lights.
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
            throw ConfigurationProblem(
                "no devices to connect to", remedy: "add discover: true or hosts: [{host: 10.0.0.5}]",
                forKey: .discover, in: container)
        }
        guard discover || devices.isEmpty else {
            throw ConfigurationProblem(
                "only for discovered devices", remedy: "add discover: true, or set key-file in the entry under hosts",
                forKey: .devices, in: container)
        }
        guard hosts.count <= ESPHomeSession.traits.maximumDevices else {
            throw ConfigurationProblem(
                "too many devices for one driver",
                remedy: "list at most \(ESPHomeSession.traits.maximumDevices) devices",
                forKey: .hosts, in: container)
        }
        var names: Set<String> = []
        for host in hosts where !names.insert("\(host.host):\(host.port)").inserted {
            throw ConfigurationProblem(
                "\(host.host) is listed twice", remedy: "remove one", forKey: .hosts, in: container)
        }
    }

    func keyFile(of target: DeviceTarget) -> String? {
        switch target {
        case .configured(let host): hosts.first { $0.address == host }?.keyFile
        case .discovered(let service): devices[service.name]?.keyFile
        }
    }

    package var selection: DeviceSelection { DeviceSelection(discover: discover, hosts: hosts.map(\.address)) }

    package var options: Self { self }
    package var connection: ESPHomeConnection { ESPHomeConnection() }
    package var secretFiles: [String] { (hosts.map(\.keyFile) + devices.values.map(\.keyFile)).compactMap(\.self) }
}

/// A device with a configured address.
package struct ESPHomeHost: Hashable, Sendable, Decodable {
    package static let usualPort = 6053

    package var host: String
    package var port: Int
    /// The path of the file that contains the device's encryption key.
    package var keyFile: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case host, port
        case keyFile = "key-file"
    }

    package var address: DeviceHost { DeviceHost(host: host, port: port) }

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
            throw ConfigurationProblem(
                "not a valid host", remedy: "use an address or a name, such as 10.0.0.5", forKey: .host, in: container
            )
        }
        port = try container.decodeIfPresent(Int.self, forKey: .port) ?? Self.usualPort
        guard (1...65_535).contains(port) else {
            throw ConfigurationProblem(
                "not a valid port", remedy: "use 1 to 65535, or omit it for 6053", forKey: .port, in: container)
        }
        keyFile = try container.decodePath(forKey: .keyFile, example: "/etc/lamplighter/NAME.key")
    }
}

/// The configuration keys of a discovered device.
package struct ESPHomeDeviceKeys: Equatable, Sendable, Decodable {
    package var keyFile: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case keyFile = "key-file"
    }

    package init(keyFile: String?) { self.keyFile = keyFile }

    package init(from decoder: any Decoder) throws {
        keyFile = try decoder.container(keyedBy: CodingKeys.self)
            .decodePath(forKey: .keyFile, example: "/etc/lamplighter/NAME.key")
    }
}
