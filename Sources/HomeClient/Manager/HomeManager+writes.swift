import BoundedJSON

extension HomeManager {
    /// Performs a write that isn't a removal of accessories, and returns its result.
    ///
    /// Apps that keep changes as values, such as changes to undo, use it instead of the method of each change.
    package func perform(_ write: HomeWrite) async throws(HomeError) -> HomeCommit.Result {
        try await self.write(write) { _, commit throws(HomeError) in commit.result }
    }

    /// Performs a write; `result` reads the caller's result from the changed homes.
    func write<R: Sendable>(
        _ write: HomeWrite, _ result: @escaping @Sendable (HomeGraph, HomeCommit) throws(HomeError) -> R
    ) async throws(HomeError) -> R {
        try await commit(.write(write), deadline: timeouts.call) { json throws(HomeError) in
            try HomeCommit(json: json)
        } result: { graph, commit throws(HomeError) in
            try result(graph, commit)
        }
    }

    /// Performs a removal, and returns the removed accessories.
    func remove(_ write: HomeWrite) async throws(HomeError) -> AccessoryRemoval {
        let removal = try await call(.write(write), deadline: timeouts.setup) { json throws(HomeError) in
            let commit = try Self.understood { () throws(HomeError) in try HomeCommit(json: json) }
            var removed: [Accessory.ID] = []
            if case .accessories(let ids) = commit.result { removed = ids }
            if case .removeHome(let id) = write { removed = self.replica.graph.home(id)?.accessories.map(\.id) ?? [] }
            self.complete(commit)
            return AccessoryRemoval(removed: removed, stale: commit.stale)
        }
        if !replica.isCurrent { try await waitUntilLoaded() }
        return removal
    }

    /// Commits a request whose result is a transaction; `result` reads the caller's result from the changed homes.
    ///
    /// - Throws: The errors of ``call(_:deadline:_:)`` and of `result`.
    func commit<R: Sendable>(
        _ request: HomeRequest, deadline: Duration,
        _ read: @escaping @Sendable (JSONValue) throws(HomeError) -> HomeCommit,
        result: @escaping @Sendable (HomeGraph, HomeCommit) throws(HomeError) -> R
    ) async throws(HomeError) -> R {
        let (commit, early) = try await call(request, deadline: deadline) { json throws(HomeError) in
            let commit = try Self.understood { () throws(HomeError) in try read(json) }
            self.complete(commit)
            return (commit, self.current(commit, result))
        }
        if let early { return try early.get() }
        // The homes are being loaded and will include the change.
        try await waitUntilLoaded()
        return try result(replica.graph, commit)
    }

    /// Applies this app's own change.
    func complete(_ commit: HomeCommit) {
        if let transaction = commit.transaction { received(transaction, isOwn: true) }
    }

    func current<R: Sendable>(
        _ commit: HomeCommit, _ result: (HomeGraph, HomeCommit) throws(HomeError) -> R
    ) -> Result<R, HomeError>? {
        guard replica.isCurrent else { return nil }
        return Result { () throws(HomeError) in try result(replica.graph, commit) }
    }
}
