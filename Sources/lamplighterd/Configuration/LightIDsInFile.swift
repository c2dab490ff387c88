import ConfigurationKit
import DaemonKit

/// Checks the entire file for duplicate IDs of lights, which no single driver's types can detect.
///
/// It only assumes that drivers list lights under `lights`, each with an `id`, and ignores everything else.
struct LightIDsInFile: Decodable {
    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: ConfigurationKey.self)
        _ = root.allKeys
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
