import DeviceKit

/// The configuration keys of the `hue` driver: the bridges' hosts, and whether their rooms and zones are also added as
/// lights.
package struct HueDriverConfiguration: SelectingDriver {
    package var selection: DeviceSelection
    package var options: HueOptions

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts, groups
        /// The id of the driver, a key that all drivers have. It is read here because it is part of the path of the
        /// credentials.
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

    package var connection: HueConnection { HueConnection(store: options.credentials) }
}
