import SystemKit

/// The configuration keys of the `shelly` driver: the devices' hosts, the file with their password, whether all
/// relays are added, too, and which covers are garage doors.
package struct ShellyDriverConfiguration: SelectingDriver {
    package var selection: DeviceSelection
    package var options: ShellyOptions

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts, switches
        case passwordFile = "password-file"
        case garageDoors = "garage-doors"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        selection = try DeviceSelection(
            from: container, discover: .discover, hosts: .hosts, traits: ShellySession.traits)
        options = ShellyOptions(
            switches: try container.decodeIfPresent(Bool.self, forKey: .switches) ?? false,
            passwordFile: try container.decodePath(forKey: .passwordFile, example: "/etc/lamplighter/shelly.password"),
            garageDoors: Set(try container.decodeIfPresent([String].self, forKey: .garageDoors) ?? []))
    }

    package var secretFiles: [String] { [options.passwordFile].compactMap(\.self) }

    package var connection: ShellyConnection { ShellyConnection(password: options.secret) }
}

extension ShellyOptions {
    /// The file with the devices' password.
    var secret: SecretFile? {
        passwordFile.map {
            SecretFile($0, key: ShellyDriverConfiguration.CodingKeys.passwordFile.rawValue, of: "password")
        }
    }
}
