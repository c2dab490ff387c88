extension HomeManager {
    /// Every app with an answer, a question or a session.
    ///
    /// - Throws: 17 for all but the system app.
    package func permissions() async throws(HomeError) -> [AppPermission] { throw HomeError(.operationNotSupported) }

    /// Decides about an app.
    ///
    /// - Throws: 17 for all but the system app, or if a policy has decided; 2 if no such app is known.
    package func setPermission(_ decision: PermissionDecision, for app: AppIdentity) async throws(HomeError) {
        throw HomeError(.operationNotSupported)
    }

    /// Puts questions of permission to this app while the body runs: those that wait, and each new one, and after a lost
    /// connection those that still wait once more.
    ///
    /// - Throws: 17 for all but the system app; what the body throws.
    package nonisolated func withQuestions<R: Sendable>(
        _ body: @Sendable (EventStream<AppPermission>) async throws -> R
    ) async throws -> R {
        throw HomeError(.operationNotSupported)
    }
}
