import Discovery
package import LightKit
package import Logging

/// The keys of the driver `shelly`: where devices are, the file with their password, and whether relays are shown, too.
package struct ShellyDriverConfiguration: SelectingDriver {
    package static let driverName = ShellySession.traits.driverName

    package var selection: DeviceSelection
    package var options: ShellyOptions

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts, switches
        case passwordFile = "password-file"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        selection = try DeviceSelection(
            from: container, discover: .discover, hosts: .hosts, traits: ShellySession.traits)
        options = ShellyOptions(switches: try container.decodeIfPresent(Bool.self, forKey: .switches) ?? false)
        if let path = try container.decodeIfPresent(String.self, forKey: .passwordFile) {
            guard path.hasPrefix("/"), !path.utf8.contains(0) else {
                throw ConfigurationProblem(
                    "no whole path", remedy: "write /etc/lamplighter/shelly.password", forKey: .passwordFile,
                    in: container)
            }
            options.passwordFile = path
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        let password = options.passwordFile.map {
            SecretFile($0, key: CodingKeys.passwordFile.rawValue, of: "password")
        }
        return DeviceLightDriver(
            selection, options: options, connection: ShellyConnection(password: password),
            passwordFile: options.passwordFile, logger: logger
        ) { () throws(DiscoveryError) in
            try AvahiServiceBrowser(type: ShellySession.traits.serviceType, logger: logger)
        }
    }
}
