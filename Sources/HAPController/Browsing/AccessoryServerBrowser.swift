package import Discovery
internal import HAPProtocol

/// Keeps an eye on all accessory servers of the networks.
package struct AccessoryServerBrowser: Sendable {
    private let browser: any ServiceBrowser
    private let interfaces: Set<String>?

    /// Makes a browser.
    ///
    /// - Parameters:
    ///   - browser: looks for ``Advertisement/serviceType``.
    ///   - interfaces: the interfaces to use in addition to loopback; `nil` for all.
    package init(_ browser: any ServiceBrowser, interfaces: [String]? = nil) {
        self.browser = browser
        self.interfaces = interfaces.map { Set($0 + ["lo"]) }
    }

    /// Begins to look; before that, nothing is found.
    package func start() throws(DiscoveryError) { try browser.start() }

    /// Ends the browser for good, and every stream of it.
    package func stop() async { await browser.stop() }

    /// Asks the networks anew, soon, and at most every few seconds: what is known stays until it turns out otherwise.
    package func refresh() { browser.refresh() }

    /// The current snapshot.
    package var snapshot: AccessorySnapshot { AccessorySnapshot(browser.snapshot.reached(over: interfaces)) }

    /// What is known now and every later change of it; a slow reader misses looks but never the newest.
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
