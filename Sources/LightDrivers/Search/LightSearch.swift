package import DeviceKit
import Dialing
package import Discovery
package import Logging
import NIOCore

/// The reason why a search failed and, if possible, the remedy.
package struct LightSearchFailure: Error, Hashable, Sendable {
    package let text: String

    package init(text: String) { self.text = text }
}

/// A search for all sources of lights on the network.
package struct LightSearch: Sendable {
    package var duration: Duration
    package var logger: Logger
    /// Creates an mDNS browser for the services of a type.
    package var makeBrowser: @Sendable (String) throws(DiscoveryError) -> any ServiceBrowser

    package init(
        duration: Duration = .seconds(3), logger: Logger,
        makeBrowser: @escaping @Sendable (String) throws(DiscoveryError) -> any ServiceBrowser
    ) {
        self.duration = duration
        self.logger = logger
        self.makeBrowser = makeBrowser
    }

    /// The result of a search: the sources, and the reasons why parts of the search failed.
    package struct Outcome: Sendable {
        /// The sources, sorted by driver, name and address.
        package var sources: [LightSource]
        package var failures: [LightSearchFailure]

        package init(sources: [LightSource] = [], failures: [LightSearchFailure] = []) {
            self.sources = sources
            self.failures = failures
        }
    }

    package static let maximumSources = 500

    /// Runs all searches concurrently: the drivers' searches, and searches for other systems that announce themselves.
    package func run(for drivers: [any LightDriverConfiguration.Type]) async -> Outcome {
        let names = drivers.map { $0.driverName }
        let discoverable = drivers.compactMap { $0 as? any DiscoverableDriver.Type }
        let systems = AnnouncedSystem.all.filter { system in
            !discoverable.contains { $0.driverName == system.driver }
        }
        return await withTaskGroup(of: Result<[LightSource], LightSearchFailure>.self) { tasks in
            for driver in discoverable { tasks.addTask { await self.sources(of: driver) } }
            for system in systems {
                let isBuiltIn = names.contains(system.driver)
                tasks.addTask { await self.sources(of: system, isBuiltIn: isBuiltIn) }
            }
            var outcome = Outcome()
            for await result in tasks {
                switch result {
                case .success(let sources): outcome.sources += sources
                // Report the same failure only once. For example, all searches that use mDNS fail if Avahi is missing.
                case .failure(let failure) where !outcome.failures.contains(failure): outcome.failures.append(failure)
                case .failure: break
                }
            }
            outcome.sources.sort { ($0.driver, $0.name, $0.address) < ($1.driver, $1.name, $1.address) }
            if outcome.sources.count > Self.maximumSources {
                outcome.sources.removeLast(outcome.sources.count - Self.maximumSources)
                outcome.failures.append(
                    LightSearchFailure(
                        text: "more than \(Self.maximumSources) devices were found; the others are ignored"))
            }
            return outcome
        }
    }

    private func sources(of driver: any DiscoverableDriver.Type) async -> Result<[LightSource], LightSearchFailure> {
        do throws(LightSearchFailure) { return .success(try await driver.discover(self)) } catch {
            return .failure(error)
        }
    }

    private func sources(
        of system: AnnouncedSystem, isBuiltIn: Bool
    ) async -> Result<[LightSource], LightSearchFailure> {
        do throws(LightSearchFailure) {
            return .success(try await system.discover(self, isBuiltIn: isBuiltIn))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the services of a type, such as `_mqtt._tcp`, that mDNS finds within ``duration``.
    ///
    /// If a service has several addresses, a reachable address comes first.
    ///
    /// - Throws: ``LightSearchFailure`` if mDNS doesn't work on this computer.
    package func services(_ type: String) async throws(LightSearchFailure) -> [DiscoveredService] {
        let browser: any ServiceBrowser
        do throws(DiscoveryError) {
            browser = try makeBrowser(type)
            try browser.start()
        } catch {
            throw LightSearchFailure(text: "can't search for devices by mDNS: \(error)")
        }
        try? await Task.sleep(for: duration)
        let snapshot = browser.snapshot
        await browser.stop()
        if let error = snapshot.discoveryError, snapshot.services.isEmpty {
            throw LightSearchFailure(text: "can't search for devices by mDNS: \(error)")
        }
        return await withTaskGroup(of: DiscoveredService.self) { tasks in
            for (index, service) in snapshot.services.enumerated() {
                tasks.addTask { index < Self.maximumProbes ? await Self.withReachableAddressFirst(service) : service }
            }
            return await tasks.reduce(into: []) { $0.append($1) }.sorted { $0.id < $1.id }
        }
    }

    private static let maximumProbes = 64
    /// The time limit for finding a reachable address of a service.
    private static let probeTime = Duration.seconds(1)

    /// Returns the service with a reachable address first, if any is reachable.
    ///
    /// The first address is displayed, and ends up in configurations.
    private static func withReachableAddressFirst(_ service: DiscoveredService) async -> DiscoveredService {
        guard service.addresses.count > 1 else { return service }
        let reachable = await withTaskGroup(of: DeviceEndpoint?.self) { tasks in
            tasks.addTask {
                var candidates = Candidates(DeviceEndpoint.all(of: service, port: Int(service.port)))
                let answer = try? await firstToAnswer(headStart: .milliseconds(100)) {
                    candidates.next()
                } connect: { endpoint in
                    DeviceRoute(to: endpoint, over: try await endpoint.connect())
                } close: { _ in
                }
                return answer?.1
            }
            tasks.addTask {
                try? await Task.sleep(for: probeTime)
                return nil
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? nil
        }
        guard case .address(let address, _)? = reachable else { return service }
        var service = service
        service.addresses = [address] + service.addresses.filter { $0 != address }
        return service
    }

    /// Returns whether a process on this computer accepts TCP connections on a port.
    package static func isListening(onPort port: Int) async -> Bool {
        guard let channel = try? await DeviceEndpoint.host("127.0.0.1", port: port).connect() else { return false }
        try? await channel.close()
        return true
    }
}

extension DiscoveredService {
    /// The addresses of the service's host, followed by its name.
    ///
    /// Link-local addresses come after the other addresses.
    var hosts: [String] {
        let addresses = addresses.filter { !$0.isLinkLocal } + addresses.filter(\.isLinkLocal)
        return addresses.map(\.description) + [host]
    }
}
