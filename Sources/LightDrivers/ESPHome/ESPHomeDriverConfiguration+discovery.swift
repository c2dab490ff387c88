import BoundedJSON
package import Discovery

extension ESPHomeDriverConfiguration: DiscoverableDriver {
    package static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource] {
        try await search.services(ESPHomeSession.traits.serviceType).map(source)
    }

    /// Returns the light source for a discovered device, with the configuration entry that it needs.
    package static func source(_ service: DiscoveredService) -> LightSource {
        var entry: JSONObject = ["driver": .string(driverName)]
        var detail = [service.txt["version"].map { "ESPHome \($0)" } ?? "ESPHome"]
        if service.txt["api_encryption"] != nil {
            detail.append("encrypted")
            entry["devices"] = [service.name: ["key-file": .string(keyFile(of: service.name))]]
        }
        return LightSource(
            driver: driverName, name: service.name, hosts: service.hosts, port: Int(service.port),
            detail: detail.joined(separator: ", "), entry: entry)
    }

    /// Returns the suggested path of a device's key file.
    ///
    /// Characters of the device's name that don't suit a file name are replaced.
    private static func keyFile(of device: String) -> String {
        let name = device.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_")
                ? Character(scalar) : "-"
        }
        return "/etc/lamplighter/\(String(name)).key"
    }

    package func coverage(of source: LightSource) -> LightSourceCoverage {
        guard source.driver == Self.driverName else { return .none }
        if hosts.contains(where: { $0.port == source.port && source.hosts.contains($0.host) }) { return .complete }
        var missing = JSONObject()
        if !discover { missing["discover"] = true }
        if devices[source.name]?.keyFile == nil { missing["devices"] = source.entry?["devices"] }
        return missing.isEmpty ? .complete : .missing(missing)
    }
}
