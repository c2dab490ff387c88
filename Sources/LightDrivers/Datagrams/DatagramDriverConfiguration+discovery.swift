import BoundedJSON
import DeviceKit
import Logging

extension DatagramDriverConfiguration: DiscoverableDriver {
    /// Runs a driver for the duration of the search and returns the lights of the devices that have described
    /// themselves.
    package static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource] {
        var logger = search.logger
        logger.logLevel = max(logger.logLevel, .warning)
        let driver = DatagramLightDriver<Device>(looksFor: LANDevices(), takesPushes: false, logger: logger)
        await withTaskGroup { tasks in
            tasks.addTask { try? await driver.run(host: UninterestedHost()) }
            try? await Task.sleep(for: search.duration)
            tasks.cancelAll()
        }
        return await driver.lights.map { light, endpoint in
            LightSource(
                driver: driverName, name: light.name, hosts: [endpoint.addressText], port: Int(endpoint.port),
                detail: light.model ?? light.manufacturer,
                entry: ["driver": .string(driverName)])
        }
    }

    package func coverage(of source: LightSource) -> LightSourceCoverage {
        guard source.driver == Self.driverName else { return .none }
        guard !devices.discover, let endpoint = IPv4Endpoint(source.address, port: Device.traits.port) else {
            return .complete
        }
        // If the system has a separate port for searches, compare only the addresses.
        let hasSearchPort = Device.traits.searchGroup != nil
        let isNamed = devices.hosts.contains {
            $0.address == endpoint.address && ($0.port == endpoint.port || hasSearchPort)
        }
        if isNamed { return .complete }
        let isUsual = endpoint.port == Device.traits.port
        return .missing(["hosts": [.string(isUsual ? endpoint.addressText : endpoint.description)]])
    }
}

/// A host that ignores a driver's reports during discovery.
private struct UninterestedHost: LightHost {
    func added(_ light: LightDescription) async {}
    func removed(_ light: LightID) async {}
    func report(_ report: LightReport, from light: LightID) async {}
    func report(_ reports: [(light: LightID, report: LightReport)]) async {}
    func lastKnown(_ light: LightID) async -> LightReport? { nil }
    func knownLights() async -> [LightID] { [] }
    func report(_ state: DriverState) async {}
    func warn(_ warning: String?, about subject: String) async {}
}
