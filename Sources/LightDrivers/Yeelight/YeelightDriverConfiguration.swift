import BoundedJSON
package import Discovery
package import Logging

/// The configuration keys of the `yeelight` driver: the devices' hosts.
package struct YeelightDriverConfiguration: SelectingDriver {
    package var selection: DeviceSelection

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case discover, hosts
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        selection = try DeviceSelection(
            from: container, discover: .discover, hosts: .hosts, traits: YeelightSession.traits)
    }

    package var options: YeelightOptions { YeelightOptions() }
    package var connection: YeelightConnection { YeelightConnection() }
    package static func makeBrowser(logger: Logger) -> any ServiceBrowser { YeelightBrowser() }
}

extension YeelightDriverConfiguration: DiscoverableDriver {
    package static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource] {
        let browser = YeelightBrowser()
        do throws(DiscoveryError) { try browser.start() } catch { throw LightSearchFailure(text: "\(error)") }
        try? await Task.sleep(for: search.duration)
        let services = browser.snapshot.services
        await browser.stop()
        return services.map { service in
            LightSource(
                driver: driverName, name: service.name, hosts: service.addresses.map(\.description),
                port: Int(service.port), detail: "Yeelight", entry: ["driver": .string(driverName)])
        }
    }
}
