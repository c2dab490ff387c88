import DaemonKit
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
    /// - Returns: the exit code, and the line to print: on standard output if the code is 0, else on standard error.
    static func check(_ path: String, drivers: [any LightDriverConfiguration.Type]) -> (code: ExitCode, line: String) {
        do {
            _ = try load(from: path, drivers: drivers)
            return (.success, "\(path): the configuration is valid".sanitized)
        } catch {
            return (ExitCode(error), "\(error)".sanitized)
        }
    }
}
