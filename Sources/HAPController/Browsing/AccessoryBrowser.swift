package import Discovery
internal import HAPProtocol

/// Keeps an eye on all accessory servers of the networks.
package struct AccessoryBrowser: Sendable {
    private let browser: any ServiceBrowser

    /// Makes a browser.
    ///
    /// - Parameter browser: looks for ``Advertisement/serviceType``.
    package init(_ browser: any ServiceBrowser) { self.browser = browser }

    /// Begins to look; before that, nothing is found.
    package func start() throws(DiscoveryError) { try browser.start() }

    /// Ends the browser for good, and every stream of it.
    package func stop() async { await browser.stop() }

    /// What is known now.
    package var snapshot: AccessorySnapshot { AccessorySnapshot(browser.snapshot) }

    /// What is known now and every later change of it; a slow reader misses looks but never the newest.
    package func snapshots() -> some AsyncSequence<AccessorySnapshot, Never> & Sendable {
        browser.snapshots().map { AccessorySnapshot($0) }
    }
}
