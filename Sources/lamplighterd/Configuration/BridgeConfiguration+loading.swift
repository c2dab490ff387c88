import DeviceKit
import Discovery
import SystemKit
import TerminalKit
import YAMLKit

extension BridgeConfiguration {
    /// Loads the configuration file.
    ///
    /// `instance` is the state directory, which distinguishes this bridge from others on the host.
    ///
    /// - Throws: `ConfigurationError` if the content is invalid, `ConfigurationFileError` if the file can't be read.
    static func load(
        from path: String, drivers: [any LightDriverConfiguration.Type], instance: String = ""
    ) throws -> BridgeConfiguration {
        try read(StrictYAML.read(path), file: path, drivers: drivers, instance: instance)
    }

    /// Reads the text of a configuration file.
    ///
    /// Errors contain the name `file`.
    ///
    /// - Throws: `ConfigurationError`.
    static func read(
        _ bytes: [UInt8], file: String, drivers: [any LightDriverConfiguration.Type], instance: String = ""
    ) throws -> BridgeConfiguration {
        // Check the IDs of lights first, because these errors have more precise positions than the errors of drivers,
        // which only decode their own lights.
        let example = "/usr/share/doc/lamplighter/examples/lamplighter.yaml"
        _ = try StrictYAML.decode(LightIDsInFile.self, from: bytes, file: file, example: example)
        return try StrictYAML.decode(
            BridgeConfiguration.self, from: bytes, file: file,
            userInfo: [.lightDrivers: drivers, .bridgeInstance: instance, .stateDirectory: instance])
    }

    /// Checks the file for `--check-config`.
    ///
    /// - Returns: The exit code, a line with the result, and warnings. If the code is 0, the line is meant for standard
    ///   output, otherwise for standard error, like the warnings.
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
