package import BoundedJSON
package import DeviceKit

/// Something on the network that lights can come from: a device, a bridge of lights, a broker.
///
/// Names and addresses are what devices say of themselves, and must be sanitized before they are shown.
package struct LightSource: Equatable, Sendable {
    /// The name of the driver for it.
    package var driver: String
    package var name: String
    /// The addresses and names of its host, the one to write into a configuration first; never empty.
    package var hosts: [String]
    package var port: Int
    /// What it is, as far as it says so.
    package var detail: String?
    /// The entry of `drivers` that brings its lights; `nil` if this version has no driver for it.
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

    /// Where it is, as an operator would write it.
    package var address: String {
        let host = hosts.first ?? ""
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// How much of a source a configured driver covers.
package enum LightSourceCoverage: Equatable, Sendable {
    /// The driver has nothing to do with it.
    case none
    /// The driver would bring its lights if its entry had these keys, too.
    case missing(JSONObject)
    /// The driver brings its lights.
    case complete
}

/// A driver that knows which sources it brings lights from.
package protocol CoveringDriver: LightDriverConfiguration {
    /// How much of a source that was found a driver with this configuration covers.
    func coverage(of source: LightSource) -> LightSourceCoverage
}

/// A driver whose devices can be looked for before it is configured.
package protocol DiscoverableDriver: CoveringDriver {
    /// Looks for what the driver can bring lights from.
    ///
    /// - Throws: ``LightSearchFailure`` if it is not possible to look.
    static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource]
}
