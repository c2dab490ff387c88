package import Discovery
internal import HAPProtocol

/// Discovers the accessory servers on the local networks.
package struct AccessoryServerBrowser: Sendable {
    private let browser: any ServiceBrowser
    private let interfaces: Set<String>?

    /// Creates a browser.
    ///
    /// - Parameters:
    ///   - browser: The service browser for ``Advertisement/serviceType``.
    ///   - interfaces: The names of the interfaces to use in addition to loopback; `nil` for all interfaces.
    package init(_ browser: any ServiceBrowser, interfaces: [String]? = nil) {
        self.browser = browser
        self.interfaces = interfaces.map { Set($0 + ["lo"]) }
    }

    /// Starts browsing.
    ///
    /// The browser finds nothing before this call.
    package func start() throws(DiscoveryError) { try browser.start() }

    /// Stops the browser permanently and ends its streams.
    package func stop() async { await browser.stop() }

    /// Queries the networks again, at the earliest a few seconds after the previous query.
    ///
    /// A known accessory stays in the snapshot until a query shows that it has disappeared.
    package func refresh() { browser.refresh() }

    /// The current snapshot.
    package var snapshot: AccessorySnapshot { AccessorySnapshot(browser.snapshot.reached(over: interfaces)) }

    /// Returns a stream of the current snapshot and each later one.
    ///
    /// A slow reader skips snapshots, but always gets the newest one.
    package func snapshots() -> some AsyncSequence<AccessorySnapshot, Never> & Sendable {
        browser.snapshots().map { [interfaces] in AccessorySnapshot($0.reached(over: interfaces)) }
    }
}

extension ServiceSnapshot {
    fileprivate func reached(over interfaces: Set<String>?) -> ServiceSnapshot {
        guard let interfaces else { return self }
        var snapshot = self
        snapshot.services = services.compactMap { service in
            var service = service
            service.addresses.removeAll { !interfaces.contains($0.interfaceName) }
            return service.addresses.isEmpty ? nil : service
        }
        return snapshot
    }
}
