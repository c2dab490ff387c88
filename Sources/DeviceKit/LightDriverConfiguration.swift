public import Logging

/// A driver's own keys in the configuration file, and the way to a driver that obeys them.
///
/// The daemon decodes it strictly: a `CodingKeys` that is `CaseIterable` lets it name the nearest valid key when one is
/// misspelt. What is wrong with a value its `init(from:)` throws as a `ConfigurationProblem`, which is shown to the operator
/// with file, line and column.
///
/// When the file is read again, a driver goes on undisturbed if its configuration is equal to the one before.
public protocol LightDriverConfiguration: Decodable, Equatable, Sendable {
    /// The driver's name in the configuration (`driver: mqtt`).
    static var driverName: String { get }

    /// Makes the driver; it touches nothing outside before it runs.
    ///
    /// - Parameter logger: where the driver logs; it already carries the driver's id.
    /// - Returns: the driver.
    func makeDriver(logger: Logger) -> any LightDriver
}

extension CodingUserInfoKey {
    /// A `String` that tells this bridge from every other bridge of this host, such as the path of its state directory.
    ///
    /// The daemon sets it when it decodes driver configurations, and drivers that must give their bridge a stable name
    /// in the outside world (an MQTT client id) derive it from this.
    public static var bridgeInstance: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "org.lamplighter.bridge-instance") else {
            preconditionFailure("the standard library makes a key of any text")
        }
        return key
    }

    /// The path of the bridge's state directory, as a `String`, in which a driver may keep files of its own.
    public static var stateDirectory: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "org.lamplighter.state-directory") else {
            preconditionFailure("the standard library makes a key of any text")
        }
        return key
    }
}
