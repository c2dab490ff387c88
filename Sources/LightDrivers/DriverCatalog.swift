package import LightKit

/// The drivers that are built in, by the name they have in the configuration.
package enum DriverCatalog {
    /// Every built-in driver's configuration; a new driver adds one line.
    package static let drivers: [any LightDriverConfiguration.Type] = [
        SimulatedDriverConfiguration.self,
        MQTTDriverConfiguration.self,
    ]

    /// Drivers that the configuration knows and this version does not have.
    private static let planned: Set<String> = ["plugin"]

    /// Why there is no driver of a name.
    package enum LookupError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The driver comes in a later version.
        case notAvailable
        /// There is no such driver; the names are those there are.
        case unknown(names: [String])

        /// What is wrong and, after a semicolon, what to write.
        package var description: String {
            switch self {
            case .notAvailable: "not available in this version"
            case .unknown(let names): "no such driver; write \(names.joined(separator: " or "))"
            }
        }
    }

    /// Finds a driver.
    ///
    /// - Parameter name: its name in the configuration.
    /// - Returns: the type of its configuration.
    /// - Throws: ``LookupError`` if there is none.
    package static func configuration(named name: String) throws(LookupError) -> any LightDriverConfiguration.Type {
        if let driver = drivers.first(where: { $0.driverName == name }) { return driver }
        guard !planned.contains(name) else { throw .notAvailable }
        throw .unknown(names: drivers.map { $0.driverName })
    }
}
