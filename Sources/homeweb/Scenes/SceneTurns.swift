import HomeModel

/// The order of changes that replace all actions of a scene.
///
/// A change waits only for earlier changes of the same scene. Each of them can take minutes, while the home hub asks the
/// user for consent.
actor SceneTurns {
    private let waitingLimit: Int
    /// The turns of the scenes with a change, and the number of their changes.
    private var scenes: [ActionSet.ID: (turns: Turns, count: Int)] = [:]

    /// Creates the order with a limit of waiting changes for each scene.
    init(waitingLimit: Int) { self.waitingLimit = waitingLimit }

    /// Runs a change of a scene when it is its turn.
    ///
    /// - Throws: `WebError` if too many changes of the scene are waiting, and the change's errors.
    nonisolated func run<Result: Sendable>(
        _ scene: ActionSet.ID, _ change: @Sendable () async throws -> Result
    ) async throws -> Result {
        let turns = await enter(scene)
        do {
            let result = try await turns.run(change)
            await leave(scene)
            return result
        } catch {
            await leave(scene)
            throw error
        }
    }

    private func enter(_ scene: ActionSet.ID) -> Turns {
        let (turns, count) = scenes[scene] ?? (Turns(1, waitingLimit: waitingLimit), 0)
        scenes[scene] = (turns, count + 1)
        return turns
    }

    private func leave(_ scene: ActionSet.ID) {
        guard let (turns, count) = scenes[scene] else { return }
        scenes[scene] = count > 1 ? (turns, count - 1) : nil
    }
}
