import AsyncKit

/// A search for devices that can be added.
///
/// Searching costs; prefer ``HomeManager/withAccessoryBrowser(_:)``, which ends it by itself.
public actor AccessoryBrowser {
    private let manager: HomeManager
    private let finds = Search.Finds(limit: EventStream<BrowserEvent>.limit)
    private var search: (number: UInt64, subscription: Subscription)?
    /// A Boolean value that indicates whether a start is in effect.
    ///
    /// A stop may arrive while a start waits for permission.
    private var isStarted = false
    private var frozen: [DiscoveredAccessory] = []

    init(_ manager: HomeManager) { self.manager = manager }

    /// What the search finds; only between ``start()`` and ``stop()``.
    ///
    /// For one reader. It ends when the app loses its permission; after another ``start()`` take it anew.
    public nonisolated var events: EventStream<BrowserEvent> { EventStream(finds) {} }

    /// The devices that are there; after ``stop()`` those that were there then.
    public var discoveredAccessories: [DiscoveredAccessory] {
        get async { search == nil ? frozen : await manager.discoveredAccessories }
    }

    /// Begins to search anew; harmless while searching.
    ///
    /// Also after the app has lost its permission, which ends the search and its events, and has it again. A daemon that
    /// cannot search any more ends no search: as soon as it can, the search goes on by itself.
    ///
    /// - Throws: `homeAccessNotAuthorized` without permission, `accessoryDiscoveryFailed` if the daemon cannot search.
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

    /// Ends the search: nothing is reported any more, not even what was found already.
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

/// What a search for devices finds.
@nonexhaustive
public enum BrowserEvent: Sendable, Hashable {
    /// A device that can be added is there.
    case found(DiscoveredAccessory)
    /// It went, or was added to a home by somebody.
    case removed(DiscoveredAccessory)
    /// So much happened that it was dropped: this is what is there now.
    case reset([DiscoveredAccessory])
}
