package import AccessoryRole
package import DeviceKit
package import HAPProtocol

/// A driver and the statistics of its commands.
///
/// Only the bridge's actor uses it, so it isn't `Sendable`.
final class BridgedDriver {
    let id: String
    /// The running driver, or `nil` if no driver with this id is configured.
    var driver: (any LightDriver)?
    var state = DriverState.starting
    /// The results of the commands sent to the driver.
    var commands = OutcomeStatistics<HAPStatus>()
    /// The number of dropped messages and values, by reason.
    var dropped: [DropReason: UInt64] = [:]

    init(_ id: String) { self.id = id }
}

/// The host of a driver, which passes the driver's reports to the bridge.
struct DriverHost: LightHost {
    let driver: String
    let bridge: DeviceBridge

    func added(_ light: LightDescription) async { await bridge.added(light, by: driver) }
    func removed(_ light: LightID) async { await bridge.removed(light, by: driver) }
    func report(_ report: LightReport, from light: LightID) async {
        await bridge.reported(report, from: light, by: driver)
    }
    func report(_ reports: [(light: LightID, report: LightReport)]) async {
        await bridge.reported(reports, by: driver)
    }
    func occurred(_ events: PropertyValues, on light: LightID) async {
        await bridge.occurred(events, on: light, by: driver)
    }
    func lastKnown(_ light: LightID) async -> LightReport? { await bridge.lastKnown(light, of: driver) }
    func knownLights() async -> [LightID] { await bridge.knownLights(of: driver) }
    func knownKinds() async -> [LightID: LightKind] { await bridge.knownKinds(of: driver) }
    func includedKinds() async -> Set<LightKind> { await bridge.kinds }
    func report(_ state: DriverState) async { await bridge.reported(state, of: driver) }
    func warn(_ warning: String?, about subject: String) async {
        await bridge.warn(warning, about: .source(subject, of: driver))
    }
    func dropped(_ count: Int, _ reason: DropReason) async { await bridge.dropped(count, reason, by: driver) }
}

/// The number of a driver's lights, and the results of the commands sent to it since the bridge started.
package struct DriverStatistics: Equatable, Sendable {
    package let id: String
    package let state: DriverState
    package let lights: Int
    package let reachableLights: Int
    /// The results of the commands sent to the driver, by HAP status, with their durations.
    package let commands: OutcomeStatistics<HAPStatus>
    /// The number of dropped messages and values, by reason.
    package let dropped: [DropReason: UInt64]
}

extension DeviceBridge {
    /// Counts dropped messages and values of a driver.
    func dropped(_ count: Int, _ reason: DropReason, by driver: String) {
        self.driver(driver).dropped[reason, default: 0] &+= UInt64(max(count, 0))
    }

    /// The statistics of all configured drivers, sorted by id.
    package func driverStatistics() -> [DriverStatistics] {
        configuredDrivers.map { driver in
            let own = lights.filter { $0.key.driver == driver.id }.values
            return DriverStatistics(
                id: driver.id, state: driver.state, lights: own.count,
                reachableLights: own.count(where: \.state.isReachable),
                commands: driver.commands, dropped: driver.dropped)
        }
    }
}
