import DaemonKit
import DeviceKit
import Discovery
import SystemKit
import TerminalKit

extension BridgeConfiguration {
    /// Loads the configuration file.
    ///
    /// The instance is the state directory, which distinguishes this bridge from others on the host.
    ///
    /// - Throws: `ConfigurationError`, `ConfigurationFileError`.
    static func load(
        from path: String, drivers: [any LightDriverConfiguration.Type], instance: String = ""
    ) throws -> BridgeConfiguration {
        // This is first because its errors have more precise positions than those of the drivers, which see only their
        // own lights.
        let example = "/usr/share/doc/lamplighter/examples/lamplighter.yaml"
        _ = try StrictYAML.decode(LightIDsInFile.self, fromFile: path, example: example)
        return try StrictYAML.decode(
            BridgeConfiguration.self, fromFile: path,
            userInfo: [.lightDrivers: drivers, .bridgeInstance: instance, .stateDirectory: instance])
    }

    /// Checks the file for `--check-config`.
    ///
    /// If the code is 0, the line is for standard output. Otherwise, it is for standard error, like the warnings.
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
