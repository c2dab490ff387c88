import Logging

extension HomeManager {
    /// Searches for devices that can be added, while the body runs.
    ///
    /// - Parameter body: receives the events of the search, in the caller's isolation; they end if the app loses its permission.
    /// - Returns: the result of the body.
    /// - Throws: `homeAccessNotAuthorized` without permission, `accessoryDiscoveryFailed` if the daemon can't search; errors of the
    ///   body.
    public nonisolated func withAccessoryBrowser<R>(
        _ body: (EventStream<BrowserEvent>) async throws -> R
    ) async throws -> R {
        let browser = makeAccessoryBrowser()
        try await browser.start()
        do {
            let result = try await body(browser.events)
            await browser.stop()
            return result
        } catch {
            await browser.stop()
            throw error
        }
    }

    /// Returns a search for devices that the caller starts and stops.
    public nonisolated func makeAccessoryBrowser() -> AccessoryBrowser { AccessoryBrowser(self) }

    // MARK: For browsers

    /// Begins to tell a browser what is found.
    ///
    /// - Returns: a number for ``stopSearch(_:)``, and what does the same when it is let go.
    func startSearch(_ finds: Search.Finds) async throws(HomeError) -> (number: UInt64, subscription: Subscription) {
        let number = search.add(finds)
        let subscription = Subscription { [tasks] in tasks.add(.endSearch(number)) }
        // Harmless if others search already; and whoever begins learns by himself if it does not work.
        do {
            try await call(.startBrowsing, deadline: timeouts.call) { _ throws(HomeError) in }
        } catch {
            // Not later, by the subscription: the browser may have begun again by then.
            stopSearch(number)
            throw error
        }
        return (number, subscription)
    }

    /// Tells a browser nothing more, from now on.
    ///
    /// - Returns: what was there last.
    @discardableResult func stopSearch(_ number: UInt64) -> [DiscoveredAccessory] {
        let last = search.devices
        if search.remove(number) { tasks.add(.stopBrowsing) }
        return last
    }

    /// Whether a browser is still told what is found; it is not once the app has lost its permission.
    func isSearching(_ number: UInt64) -> Bool { search.isTold(number) }

    /// What is there, as far as it was found.
    var discoveredAccessories: [DiscoveredAccessory] { search.devices }

    /// The daemon searches (again).
    func beginSearch() async {
        search.begin()
        do throws(HomeError) {
            try await call(.startBrowsing, deadline: timeouts.call) { _ throws(HomeError) in }
        } catch {
            logger.info("search restart failed", metadata: ["reason": "\(error)"])
        }
    }

    /// The last search has ended, unless another has begun meanwhile.
    func stopBrowsing() async {
        guard isOpen, let peer = try? await connected(), !search.isWanted else { return }
        // It is sent before anything else can happen here: whoever begins later is behind it, and asks for a search.
        _ = try? await call(.stopBrowsing, on: peer, deadline: timeouts.call) { _ throws(HomeError) in }
    }
}
