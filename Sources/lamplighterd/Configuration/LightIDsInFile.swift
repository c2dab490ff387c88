import ConfigurationKit

/// Checks the entire file for two errors that the decoders of individual drivers can't detect.
///
/// The errors are duplicate IDs of lights, and the configuration of a different program. The check only assumes that
/// drivers list their lights under `lights`, each with an `id`.
struct LightIDsInFile: Decodable {
    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: ConfigurationKey.self)
        let keys = Set(root.allKeys.map(\.stringValue))
        if let other = Self.otherPrograms.first(where: { keys.contains($0.key) }) {
            throw ConfigurationProblem(
                "this looks like a configuration of \(other.name)",
                remedy: "create one for Lamplighter as in lamplighter.yaml(5)",
                at: decoder.codingPath + [ConfigurationKey(other.key)])
        }
        guard let drivers = try? root.decode([Driver].self, forKey: ConfigurationKey("drivers")) else { return }
        for (position, driver) in drivers.enumerated() {
            var seen: Set<String> = []
            for (index, id) in driver.lights.enumerated() {
                guard let id, !seen.insert(id).inserted else { continue }
                throw ConfigurationProblem(
                    "another light of this driver already has the id \(id)", remedy: "choose a different id",
                    at: decoder.codingPath
                        + [
                            ConfigurationKey("drivers"), ConfigurationKey(position), ConfigurationKey("lights"),
                            ConfigurationKey(index), ConfigurationKey("id"),
                        ])
            }
        }
    }

    /// The top-level keys that identify the files of other programs.
    private static let otherPrograms = [
        (key: "platforms", name: "Homebridge"), (key: "accessories", name: "Homebridge"),
        (key: "homeassistant", name: "Home Assistant"), (key: "default_config", name: "Home Assistant"),
    ]

    private struct Driver: Decodable {
        let lights: [String?]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ConfigurationKey.self)
            _ = container.allKeys
            lights = (try? container.decode([Light].self, forKey: ConfigurationKey("lights")))?.map(\.id) ?? []
        }
    }

    private struct Light: Decodable {
        let id: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ConfigurationKey.self)
            _ = container.allKeys
            id = try? container.decode(String.self, forKey: ConfigurationKey("id"))
        }
    }
}
