/// The configuration keys of the `wled` driver: the devices' hosts, and whether each of their segments is a separate
/// light.
package struct WLEDDriverConfiguration: SelectingDriver {
    package var selection: DeviceSelection
    package var options: WLEDOptions

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts, segments
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        selection = try DeviceSelection(from: container, discover: .discover, hosts: .hosts, traits: WLEDSession.traits)
        options = WLEDOptions(segments: try container.decodeIfPresent(Bool.self, forKey: .segments) ?? false)
    }

    package var connection: WLEDConnection { WLEDConnection() }
}
