package import BoundedJSON
package import DeviceKit
package import Logging

/// The configuration of the `plugin` driver: a program that provides lights, and its settings.
package struct PluginDriverConfiguration: LightDriverConfiguration {
    package static let driverName = "plugin"

    /// The entry's id, which identifies the plugin in the log and in errors.
    package var id: String
    /// The program's path and its arguments.
    package var command: [String]
    /// The settings that `hello` passes to the plugin unchanged.
    package var config: JSONValue
    /// Environment variables in addition to the few that every plugin gets.
    package var environment: [String: String]
    /// The working directory, or `nil` for `/`.
    package var workingDirectory: String?
    /// The directory in which the plugin can keep files, or `nil` if the bridge has no state directory.
    package var stateDirectory: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case command, config, environment
        case workingDirectory = "working-directory"
        /// The entry's id, a key that all drivers have. It is decoded here because messages identify the plugin by it.
        case id
    }

    package init(
        id: String, command: [String], config: JSONValue = [:], environment: [String: String] = [:],
        workingDirectory: String? = nil, stateDirectory: String? = nil
    ) {
        self.id = id
        self.command = command
        self.config = config
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.stateDirectory = stateDirectory
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(String.self, forKey: .id) ?? Self.driverName
        command = try container.decode([String].self, forKey: .command)
        guard let program = command.first, program.hasPrefix("/"), !command.contains(where: { $0.utf8.contains(0) })
        else {
            throw ConfigurationProblem(
                "no program to run", remedy: "use a list such as [/PATH/OF/PROGRAM, ARGUMENT, ...]", forKey: .command,
                in: container)
        }
        config = try container.decodeIfPresent(JSONValue.self, forKey: .config) ?? [:]
        guard case .object = config, config.encoded.count <= PluginLimits.line / 2 else {
            throw ConfigurationProblem(
                "not a valid configuration", remedy: "use keys with values", forKey: .config, in: container)
        }
        environment = try container.decodeIfPresent([String: String].self, forKey: .environment) ?? [:]
        guard environment.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0x3D) && !"\($0)\($1)".utf8.contains(0) })
        else {
            throw ConfigurationProblem(
                "not a valid environment variable", remedy: "use NAME: VALUE", forKey: .environment, in: container)
        }
        workingDirectory = try container.decodeIfPresent(String.self, forKey: .workingDirectory)
        guard workingDirectory?.hasPrefix("/") != false else {
            throw ConfigurationProblem(
                "not an absolute path", remedy: "use a path that starts with /", forKey: .workingDirectory,
                in: container)
        }
        if let directory = decoder.userInfo[.stateDirectory] as? String, !directory.isEmpty {
            stateDirectory = "\(directory)/plugins/\(id)"
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver { PluginDriver(configuration: self, logger: logger) }
}
