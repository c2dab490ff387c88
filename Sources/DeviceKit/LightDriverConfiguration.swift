public import Logging

/// The decoded configuration of a driver, which creates the driver.
///
/// The daemon rejects unknown keys. If the `CodingKeys` are `CaseIterable`, it suggests the nearest valid key for a
/// misspelled key. For an invalid value, `init(from:)` throws a `ConfigurationProblem`, which is shown to the operator
/// with file, line and column.
///
/// When the configuration file is reloaded, a driver whose configuration is unchanged keeps running.
public protocol LightDriverConfiguration: Decodable, Equatable, Sendable {
    /// The driver's name in the configuration (`driver: mqtt`).
    static var driverName: String { get }

    /// Creates the driver.
    ///
    /// The driver must not access the network, files or devices before it runs.
    ///
    /// - Parameter logger: The driver's logger, which already includes the driver's id.
    /// - Returns: The driver.
    func makeDriver(logger: Logger) -> any LightDriver
}

extension CodingUserInfoKey {
    /// A `String` that distinguishes this bridge from all others on this host, such as the path of its state directory.
    ///
    /// The daemon sets it when it decodes driver configurations. Drivers that need a stable external name for their
    /// bridge, such as an MQTT client id, derive it from this.
    public static var bridgeInstance: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "org.lamplighter.bridge-instance") else {
            preconditionFailure("the standard library must accept any text as a key")
        }
        return key
    }

    /// The path of the bridge's state directory, a `String`; a driver may store files there.
    public static var stateDirectory: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "org.lamplighter.state-directory") else {
            preconditionFailure("the standard library must accept any text as a key")
        }
        return key
    }
}
