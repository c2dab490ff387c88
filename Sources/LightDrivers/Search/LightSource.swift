package import BoundedJSON
package import DeviceKit

/// A source of lights on the network, such as a device, a bridge or a broker.
///
/// Names and addresses come from devices and must be sanitized before they are shown.
package struct LightSource: Equatable, Sendable {
    /// The name of the driver that supports the source.
    package var driver: String
    package var name: String
    /// The addresses and names of the source's host.
    ///
    /// The first entry is used in configurations. The list is never empty.
    package var hosts: [String]
    package var port: Int
    /// A description, such as the product, if it is known.
    package var detail: String?
    /// The entry for `drivers` that adds the source's lights; `nil` if this version has no driver for it.
    package var entry: JSONObject?

    package init(
        driver: String, name: String, hosts: [String], port: Int, detail: String? = nil, entry: JSONObject?
    ) {
        self.driver = driver
        self.name = name
        self.hosts = hosts
        self.port = port
        self.detail = detail
        self.entry = entry
    }

    /// The address and port, as they are written in a configuration.
    package var address: String {
        let host = hosts.first ?? ""
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// The extent to which a configured driver covers a source.
package enum LightSourceCoverage: Equatable, Sendable {
    /// The driver is unrelated to the source.
    case none
    /// The driver would add the source's lights if its entry also had these keys.
    case missing(JSONObject)
    /// The driver already adds the source's lights.
    case complete
}

/// A driver that can determine whether it covers a source.
package protocol CoveringDriver: LightDriverConfiguration {
    /// Returns the extent to which a driver with this configuration covers a discovered source.
    func coverage(of source: LightSource) -> LightSourceCoverage
}

/// A driver whose devices can be discovered before it is configured.
package protocol DiscoverableDriver: CoveringDriver {
    /// Searches for sources of lights for the driver.
    ///
    /// - Throws: ``LightSearchFailure`` if the search isn't possible.
    static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource]
}
