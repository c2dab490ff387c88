import Discovery
package import LightKit
package import Logging

/// The keys of the driver `hue`: where bridges are, and whether their rooms and zones are lights, too.
package struct HueDriverConfiguration: SelectingDriver {
    package static let driverName = HueSession.traits.driverName

    package var selection: DeviceSelection
    package var options: HueOptions

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts, groups
        /// The bridge's own key; read here because credentials are kept under it.
        case id
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        selection = try DeviceSelection(from: container, discover: .discover, hosts: .hosts, traits: HueSession.traits)
        options = HueOptions(groups: try container.decodeIfPresent(Bool.self, forKey: .groups) ?? false)
        let id = try container.decodeIfPresent(String.self, forKey: .id) ?? Self.driverName
        if let directory = decoder.userInfo[.stateDirectory] as? String, !directory.isEmpty {
            options.credentials = HueCredentialStore(directory: "\(directory)/hue/\(id)")
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        DeviceLightDriver(
            selection, options: options, connection: HueConnection(store: options.credentials), logger: logger
        ) { () throws(DiscoveryError) in
            try AvahiServiceBrowser(type: HueSession.traits.serviceType, logger: logger)
        }
    }
}
