import Discovery
import SystemKit
import TerminalKit
import YAMLKit

extension HubConfiguration {
    /// The default path of the configuration file.
    static let defaultPath = "/etc/homehub/homehub.yaml"

    /// Loads the configuration file.
    ///
    /// If `path` is `nil`, the default file is loaded. The default file may be missing.
    ///
    /// - Throws: `ConfigurationError` if the content is invalid, `ConfigurationFileError` if the file can't be read.
    static func load(from path: String?) throws -> HubConfiguration {
        do {
            return try StrictYAML.decode(HubConfiguration.self, fromFile: path ?? defaultPath, mayBeEmpty: true)
        } catch ConfigurationFileError.missing where path == nil {
            return HubConfiguration()
        }
    }

    /// Checks the file for `--check-config`.
    ///
    /// - Returns: The exit code, a line with the result, and warnings. If the code is 0, the line is meant for standard
    ///   output, otherwise for standard error.
    static func check(_ path: String?) -> (code: ExitCode, line: String, warnings: [ConfigurationWarning]) {
        do {
            let file = path ?? defaultPath
            var warnings = try load(from: path).interfaces.warnings(
                present: Set(InterfaceFacts.current().map(\.name)), file: file, keyPath: "interfaces")
            do {
                warnings += try StrictYAML.missingFiles(inFile: file)
            } catch ConfigurationFileError.missing {
                // The default file is optional.
            }
            return (.success, "\(file): the configuration is valid".sanitized, warnings)
        } catch {
            return (ExitCode(error), "\(error)".sanitized, [])
        }
    }
}
