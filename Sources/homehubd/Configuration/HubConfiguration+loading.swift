import DaemonKit
import Discovery
import SystemKit
import TerminalKit

extension HubConfiguration {
    /// Where the configuration lies unless the command line says otherwise.
    static let defaultPath = "/etc/homehub/homehub.yaml"

    /// Reads the configuration file; without a path the usual one, which may be missing.
    ///
    /// - Throws: `ConfigurationError`, `ConfigurationFileError`.
    static func load(from path: String?) throws -> HubConfiguration {
        do {
            return try StrictYAML.decode(HubConfiguration.self, fromFile: path ?? defaultPath, mayBeEmpty: true)
        } catch ConfigurationFileError.missing where path == nil {
            return HubConfiguration()
        }
    }

    /// Checks the file for `--check-config`: the line is for standard output if the code is 0, else for standard error.
    static func check(_ path: String?) -> (code: ExitCode, line: String, warnings: [ConfigurationWarning]) {
        do {
            let file = path ?? defaultPath
            let warnings = try load(from: path).interfaces.warnings(
                present: Set(InterfaceFacts.current().map(\.name)), file: file, keyPath: "interfaces")
            return (.success, "\(file): the configuration is valid".sanitized, warnings)
        } catch {
            return (ExitCode(error), "\(error)".sanitized, [])
        }
    }
}
