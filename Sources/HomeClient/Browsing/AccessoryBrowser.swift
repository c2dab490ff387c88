import AsyncKit

/// A search for devices that can be added.
///
/// Searching uses resources. Prefer ``HomeManager/withAccessoryBrowser(_:)``, which stops the search automatically.
public actor AccessoryBrowser {
    private let manager: HomeManager
    private let finds = Search.Finds(limit: EventStream<BrowserEvent>.limit)
    private var search: (number: UInt64, subscription: Subscription)?
    /// A Boolean value that indicates whether the search was started and hasn't been stopped.
    ///
    /// ``stop()`` may be called while ``start()`` waits for permission.
    private var isStarted = false
    private var frozen: [DiscoveredAccessory] = []

    init(_ manager: HomeManager) { self.manager = manager }

    /// The events of the search between ``start()`` and ``stop()``.
    ///
    /// The stream supports one reader. It ends when the app loses its permission. Get a new stream after the next
    /// ``start()``.
    public nonisolated var events: EventStream<BrowserEvent> { EventStream(finds) {} }

    /// The devices that are currently available; after ``stop()``, the devices that were available at that time.
    public var discoveredAccessories: [DiscoveredAccessory] {
        get async { search == nil ? frozen : await manager.discoveredAccessories }
    }

    /// Starts a new search; has no effect during a search.
    ///
    /// If the app loses its permission, the search and its events end. Start it again after the app regains permission.
    /// If the daemon can't continue a search, the search resumes automatically when possible.
    ///
    /// - Throws: `homeAccessNotAuthorized` if the app has no permission, `accessoryDiscoveryFailed` if the daemon can't
    ///   search.
    public func start() async throws(HomeError) {
        if let number = search?.number, await !manager.isSearching(number), search?.number == number {
            search = nil
            isStarted = false
        }
        guard !isStarted else { return }
        isStarted = true
        frozen = []
        finds.reopen()
        do {
            let search = try await manager.startSearch(finds)
            if isStarted { self.search = search } else { await end(search) }
        } catch {
            isStarted = false
            throw error
        }
    }

    /// Stops the search and drops its pending events.
    public func stop() async {
        isStarted = false
        guard let search else { return }
        self.search = nil
        await end(search)
    }

    private func end(_ search: (number: UInt64, subscription: Subscription)) async {
        frozen = await manager.stopSearch(search.number)
    }
}

/// An event of a search for devices.
@nonexhaustive
public enum BrowserEvent: Sendable, Hashable {
    /// A device that can be added was found, or its advertisement changed.
    case found(DiscoveredAccessory)
    /// A device disappeared from the network or was added to a home.
    case removed(DiscoveredAccessory)
    /// The currently available devices. This event replaces earlier events, which were dropped because too many were
    /// waiting.
    case reset([DiscoveredAccessory])
}
