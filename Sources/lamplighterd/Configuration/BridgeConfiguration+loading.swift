import DaemonKit
import Discovery
import LightKit
import TerminalKit

extension BridgeConfiguration {
    /// Reads the configuration file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - drivers: the drivers there are.
    ///   - instance: what tells this bridge from others on the host: its state directory.
    /// - Returns: the configuration.
    /// - Throws: `ConfigurationError`, `ConfigurationFileError`.
    static func load(
        from path: String, drivers: [any LightDriverConfiguration.Type], instance: String = ""
    ) throws -> BridgeConfiguration {
        // First, because it tells the place better than the drivers, which see their own lights only.
        _ = try StrictYAML.decode(LightIDsInFile.self, fromFile: path)
        return try StrictYAML.decode(
            BridgeConfiguration.self, fromFile: path,
            userInfo: [.lightDrivers: drivers, .bridgeInstance: instance, .stateDirectory: instance])
    }

    /// What `--check-config` does.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - drivers: the drivers there are.
    /// - Returns: the exit code, the line to print on standard output if the code is 0, else on standard error, and the
    ///   warnings to print on standard error.
    static func check(
        _ path: String, drivers: [any LightDriverConfiguration.Type]
    ) -> (code: ExitCode, line: String, warnings: [ConfigurationWarning]) {
        do {
            let configuration = try load(from: path, drivers: drivers)
            let warnings =
                try configuration.bridge.interfaces.warnings(
                    present: Set(InterfaceFacts.current().map(\.name)), file: path, keyPath: "bridge.interfaces")
                + StrictYAML.missingFiles(inFile: path)
            return (.success, "\(path): the configuration is valid".sanitized, warnings)
        } catch {
            return (ExitCode(error), "\(error)".sanitized, [])
        }
    }
}
