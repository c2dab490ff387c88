package import HAPAccessory
package import HAPProtocol
package import LightKit

/// One driver's lights, and what became of their commands since the start.
package struct DriverStatistics: Equatable, Sendable {
    package let id: String
    package let state: DriverState
    package let lights: Int
    package let reachableLights: Int
    /// The commands that it was given, by what controllers are told of them, and how long it took.
    package let commands: OutcomeStatistics<HAPStatus>
}

extension LightBridge {
    /// The statistics of all drivers that are known, by id.
    package func driverStatistics() -> [DriverStatistics] {
        configuredDrivers.map { driver in
            let own = lights.filter { $0.key.driver == driver.id }.values
            return DriverStatistics(
                id: driver.id, state: driver.state, lights: own.count,
                reachableLights: own.count(where: \.state.isReachable),
                commands: driver.commands)
        }
    }
}
