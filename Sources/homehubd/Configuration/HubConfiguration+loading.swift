import DaemonKit
import Discovery
import TerminalKit

extension HubConfiguration {
    /// Where the configuration lies unless the command line says otherwise.
    static let defaultPath = "/etc/homehub/homehub.yaml"

    /// Reads the configuration file.
    ///
    /// - Parameter path: the file; `nil` for the one at its usual place, which need not be there.
    /// - Returns: the configuration.
    /// - Throws: `ConfigurationError`, `ConfigurationFileError`.
    static func load(from path: String?) throws -> HubConfiguration {
        do {
            return try StrictYAML.decode(HubConfiguration.self, fromFile: path ?? defaultPath, mayBeEmpty: true)
        } catch ConfigurationFileError.missing where path == nil {
            return HubConfiguration()
        }
    }

    /// What `--check-config` does.
    ///
    /// - Parameter path: the file; `nil` for the one at its usual place.
    /// - Returns: the exit code, and the line to print: on standard output if the code is 0, else on standard error.
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
