package import BoundedJSON
package import DeviceKit

/// A source of lights on the network: a device, a bridge, a broker.
///
/// Names and addresses come from devices and must be sanitized before they are shown.
package struct LightSource: Equatable, Sendable {
    /// The name of the driver for it.
    package var driver: String
    package var name: String
    /// The addresses and names of its host, the one for a configuration first; never empty.
    package var hosts: [String]
    package var port: Int
    /// The product, if it is known.
    package var detail: String?
    /// The entry of `drivers` for its lights; `nil` if this version has no driver for it.
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

    /// The address in the form of a configuration.
    package var address: String {
        let host = hosts.first ?? ""
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// The part of a source that a configured driver covers.
package enum LightSourceCoverage: Equatable, Sendable {
    /// The driver is unrelated to the source.
    case none
    /// The driver would add its lights if its entry had these keys, too.
    case missing(JSONObject)
    /// The driver adds its lights.
    case complete
}

/// A driver that can determine whether it covers a source.
package protocol CoveringDriver: LightDriverConfiguration {
    /// Returns the part of a discovered source that a driver with this configuration covers.
    func coverage(of source: LightSource) -> LightSourceCoverage
}

/// A driver whose devices can be discovered before it is configured.
package protocol DiscoverableDriver: CoveringDriver {
    /// Searches for sources of lights for the driver.
    ///
    /// - Throws: ``LightSearchFailure`` if the search isn't possible.
    static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource]
}
