/// A search for devices that can be added.
///
/// Searching costs; prefer ``HomeManager/withAccessoryBrowser(_:)``, which ends it by itself.
public actor AccessoryBrowser {
    private let manager: HomeManager
    /// What the search finds; only between ``start()`` and ``stop()``.
    public nonisolated let events: EventStream<BrowserEvent>

    init(_ manager: HomeManager, events: EventStream<BrowserEvent>) {
        self.manager = manager
        self.events = events
    }

    /// The devices that are there; after ``stop()`` those that were there then.
    public private(set) var discoveredAccessories: [DiscoveredAccessory] = []

    /// Begins to search anew; harmless while searching.
    ///
    /// - Throws: 47 without permission, 57 if the daemon cannot search.
    public func start() async throws(HomeError) { throw HomeError(.operationNotSupported) }

    /// Ends the search: nothing is reported any more, not even what was found already.
    public func stop() async {}
}
