extension HomeManager {
    /// Writes, and takes what came of it out of the homes as they are then.
    func write<R: Sendable>(
        _ write: HomeWrite, _ result: @Sendable (HomeGraph, HomeCommit) throws(HomeError) -> R
    ) async throws(HomeError) -> R { throw HomeError(.operationNotSupported) }
}
