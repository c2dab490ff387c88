import Logging

extension HomeManager {
    /// Searches for devices that can be added, while the body runs.
    ///
    /// - Parameter body: The closure that receives the events of the search, in the caller's isolation. The events end
    ///   if the app loses its permission.
    /// - Returns: The result of the body.
    /// - Throws: `homeAccessNotAuthorized` if the app has no permission, `accessoryDiscoveryFailed` if the daemon can't
    ///   search; the errors of the body.
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

    /// Starts to deliver found devices to a browser.
    ///
    /// - Returns: A number for ``stopSearch(_:)``, and a subscription that stops the search when it's released.
    func startSearch(_ finds: Search.Finds) async throws(HomeError) -> (number: UInt64, subscription: Subscription) {
        let number = search.add(finds)
        let subscription = Subscription { [tasks] in tasks.add(.endSearch(number)) }
        // If another browser is already searching, the request has no effect. It's sent anyway, because the browser
        // must receive an error if the daemon can't search.
        do {
            try await call(.startBrowsing, deadline: timeouts.call) { _ throws(HomeError) in }
        } catch {
            // The subscription would stop the search later, when the browser may have restarted.
            stopSearch(number)
            throw error
        }
        return (number, subscription)
    }

    /// Stops delivering found devices to a browser.
    ///
    /// - Returns: The devices that were available at the end.
    @discardableResult func stopSearch(_ number: UInt64) -> [DiscoveredAccessory] {
        let last = search.devices
        if search.remove(number) { tasks.add(.stopBrowsing) }
        return last
    }

    /// Returns a Boolean value that indicates whether a browser still receives found devices.
    ///
    /// No browser receives devices after the app has lost its permission.
    func isSearching(_ number: UInt64) -> Bool { search.isTold(number) }

    /// The devices found so far.
    var discoveredAccessories: [DiscoveredAccessory] { search.devices }

    /// Starts the daemon's search again, after a lost connection or dropped notifications.
    func beginSearch() async {
        search.begin()
        do throws(HomeError) {
            try await call(.startBrowsing, deadline: timeouts.call) { _ throws(HomeError) in }
        } catch {
            logger.info("search restart failed", metadata: ["reason": "\(error)"])
        }
    }

    /// Stops the daemon's search unless another browser has started a search in the meantime.
    func stopBrowsing() async {
        guard isOpen, let peer = try? await connected(), !search.isWanted else { return }
        // Nothing else can run on this actor before the request is sent. Therefore, the request of a browser that
        // starts later is sent after it.
        _ = try? await call(.stopBrowsing, on: peer, deadline: timeouts.call) { _ throws(HomeError) in }
    }
}
