import ConfigurationKit
import DeviceKit
import TerminalKit

extension CodingUserInfoKey {
    /// The available drivers, as `[any LightDriverConfiguration.Type]`.
    static let lightDrivers = {
        guard let key = CodingUserInfoKey(rawValue: "lightDrivers") else {
            preconditionFailure("every text is a valid key")
        }
        return key
    }()
}

/// An entry of `drivers`: the `driver` and `id` keys, which all drivers have, and the keys of the driver's type.
struct DriverEntry: Decodable, Sendable {
    /// The driver's ID, which is the first component of its lights' keys.
    let id: String
    let driver: String
    let configuration: any LightDriverConfiguration

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case driver, id
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let driver = try container.decode(String.self, forKey: .driver)
        let types = decoder.userInfo[.lightDrivers] as? [any LightDriverConfiguration.Type] ?? []
        guard let type = types.first(where: { $0.driverName == driver }) else {
            throw Self.unknown(driver, types: types, at: container.codingPath + [CodingKeys.driver])
        }
        self.driver = driver
        id = try container.decodeIfPresent(String.self, forKey: .id) ?? driver
        guard Self.isID(id) else {
            throw ConfigurationProblem(
                "not a valid id", remedy: "use 1 to 64 letters, digits, dots, dashes and underscores",
                at: container.codingPath + [CodingKeys.id])
        }
        configuration = try type.init(from: decoder)
    }

    /// Returns whether two entries are equal, so that a running driver doesn't have to be replaced.
    func isEqual(to other: DriverEntry) -> Bool {
        func isEqual<Keys: LightDriverConfiguration>(_ keys: Keys) -> Bool { keys == other.configuration as? Keys }
        return id == other.id && driver == other.driver && isEqual(configuration)
    }

    /// The systems that the `mqtt` driver supports, by the names that users mistakenly use instead of `mqtt`.
    private static let systemsWithMQTT = [
        "zigbee2mqtt": "Zigbee2MQTT", "tasmota": "Tasmota", "homeassistant": "Home Assistant's MQTT discovery",
    ]

    private static func unknown(
        _ driver: String, types: [any LightDriverConfiguration.Type], at path: [any CodingKey]
    ) -> ConfigurationProblem {
        let names = types.map { $0.driverName }
        if let system = systemsWithMQTT[driver.squashed], names.contains("mqtt") {
            return ConfigurationProblem("unknown driver", remedy: "use mqtt, which supports \(system)", at: path)
        }
        let remedy =
            driver.nearest(in: names).map { "use \($0)" } ?? "use one of \(names.sorted().joined(separator: ", "))"
        return ConfigurationProblem("unknown driver", remedy: remedy, at: path)
    }

    /// Returns whether a string is a valid ID.
    ///
    /// An ID must not contain a slash, which follows the ID in a light's key, or characters that have a special meaning
    /// in shells and logs.
    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                scalar == "-" || scalar == "_" || scalar == "."
                    || (scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
            }
    }
}
