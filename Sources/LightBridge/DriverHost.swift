internal import LightKit

/// One driver's way to the bridge.
struct DriverHost: LightHost {
    let driver: String
    let bridge: LightBridge

    func added(_ light: LightDescription) async { await bridge.added(light, by: driver) }
    func removed(_ light: LightID) async { await bridge.removed(light, by: driver) }
    func report(_ report: LightReport, from light: LightID) async {
        await bridge.reported(report, from: light, by: driver)
    }
    func report(_ reports: [(light: LightID, report: LightReport)]) async {
        await bridge.reported(reports, by: driver)
    }
    func lastKnown(_ light: LightID) async -> LightReport? { await bridge.lastKnown(light, of: driver) }
    func knownLights() async -> [LightID] { await bridge.knownLights(of: driver) }
    func report(_ state: DriverState) async { await bridge.reported(state, of: driver) }
    func warn(_ warning: String?, about subject: String) async {
        await bridge.warn(warning, about: .source(subject, of: driver))
    }
}
