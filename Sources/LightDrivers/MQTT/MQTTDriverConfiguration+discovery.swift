import BoundedJSON
import Discovery

extension MQTTDriverConfiguration: DiscoverableDriver {
    static let serviceType = "_mqtt._tcp"
    static let usualPort = 1883

    /// The addresses and the name of this computer's loopback interface.
    private static let local = ["127.0.0.1", "localhost", "::1"]

    /// Returns the brokers that announce themselves, and the broker on this computer even if it isn't announced.
    package static func discover(_ search: LightSearch) async throws(LightSearchFailure) -> [LightSource] {
        let isLocal = await LightSearch.isListening(onPort: usualPort)
        do throws(LightSearchFailure) {
            return sources(try await search.services(serviceType), isLocal: isLocal)
        } catch {
            guard isLocal else { throw error }
            return sources([], isLocal: isLocal)
        }
    }

    /// Returns the sources for brokers.
    ///
    /// - Parameters:
    ///   - services: The announced brokers.
    ///   - isLocal: `true` if a process on this computer listens on MQTT's default port.
    /// - Returns: The sources, with each broker only once.
    static func sources(_ services: [DiscoveredService], isLocal: Bool) -> [LightSource] {
        var sources = services.map { service in
            let isThisOne = isLocal && service.isLocal && Int(service.port) == usualPort
            return source(service.name, (isThisOne ? local : []) + service.hosts, port: Int(service.port))
        }
        if isLocal, !sources.contains(where: { $0.hosts.contains(local[0]) }) {
            sources.append(source("this computer", local, port: usualPort))
        }
        return sources
    }

    private static func source(_ name: String, _ hosts: [String], port: Int) -> LightSource {
        var source = LightSource(
            driver: driverName, name: name, hosts: hosts, port: port, detail: "MQTT broker", entry: nil)
        source.entry = ["driver": .string(driverName), "url": .string("mqtt://\(source.address)")]
        return source
    }

    package func coverage(of source: LightSource) -> LightSourceCoverage {
        let address = connection.address
        let host = address.host.lowercased()
        let names = Self.local.contains(host) ? Self.local : [host]
        let isSame =
            source.driver == Self.driverName && source.port == Int(address.port)
            && names.contains { source.hosts.contains($0) }
        return isSame ? .complete : .none
    }
}
