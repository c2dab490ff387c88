import DaemonKit
import DeviceKit
import Discovery
import SystemKit
import TerminalKit

extension BridgeConfiguration {
    /// Reads the configuration file; the instance, the state directory, distinguishes this bridge from others on the
    /// host.
    ///
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

    /// Checks the file for `--check-config`: the line is for standard output if the code is 0, else for standard error
    /// like the warnings.
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
