import BoundedJSON
import Discovery

/// A light system whose devices announce themselves by mDNS, without any data that a configuration needs.
///
/// It is searched only if there is no ``DiscoverableDriver`` with the same name, which finds its devices itself.
struct AnnouncedSystem: Sendable {
    let driver: String
    /// The mDNS service type of the system's devices.
    let serviceType: String
    let product: String

    static let all = [
        AnnouncedSystem(driver: "hue", serviceType: "_hue._tcp", product: "Philips Hue bridge"),
        AnnouncedSystem(driver: "nanoleaf", serviceType: "_nanoleafapi._tcp", product: "Nanoleaf"),
        AnnouncedSystem(driver: "shelly", serviceType: "_shelly._tcp", product: "Shelly"),
        AnnouncedSystem(driver: "wled", serviceType: "_wled._tcp", product: "WLED"),
    ]

    func discover(_ search: LightSearch, isBuiltIn: Bool) async throws(LightSearchFailure) -> [LightSource] {
        try await search.services(serviceType).map { service in
            LightSource(
                driver: driver, name: service.name, hosts: service.hosts, port: Int(service.port), detail: product,
                entry: isBuiltIn ? ["driver": .string(driver)] : nil)
        }
    }
}
