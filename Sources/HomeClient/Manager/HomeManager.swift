package import Logging

/// An app's access to the homes of its user.
///
/// The homes are kept by the daemon `homehubd`, which all apps share; this is the app's copy of them. It is empty until
/// it was loaded (``waitUntilLoaded()``) and as long as the user does not allow the app to see it. The first use raises
/// the question of permission; calls wait for the answer.
///
/// Most apps use ``withHomeManager(_:socket:_:)``. Others make one and run it:
///
/// ```swift
/// let manager = HomeManager(AppDeclaration(id: "org.example.lights", usageDescription: "To switch your lights."))
/// async let running: Void = manager.run()
/// try await manager.waitUntilLoaded()
/// ```
///
/// Snapshots never change under their holder. ``homes`` is up to date before an event is told and before a call returns.
/// An app gets no events for its own writes; their results hold what changed. Calls end within a bounded time, and a
/// call whose task is cancelled before it had an effect throws 23 and has none.
public actor HomeManager {
    /// Where the daemon is looked for.
    public nonisolated let socket: String
    nonisolated let app: AppDeclaration
    nonisolated let logger: Logger

    /// Declares the app; nothing is connected before ``run()``.
    ///
    /// - Parameters:
    ///   - app: what the app says of itself.
    ///   - socket: the daemon's socket; if `nil`, `$HOMEHUB_SOCKET`, else `./.lamplighter/run/home.sock` if that is
    ///     there, else `/run/homehub/home.sock`.
    public init(_ app: AppDeclaration, socket: String? = nil) {
        self.init(app, socket: socket, logger: Logger(label: "home") { _ in SwiftLogNoOpLogHandler() })
    }

    package init(_ app: AppDeclaration, socket: String? = nil, logger: Logger) {
        self.app = app
        self.socket = socket ?? ""
        self.logger = logger
    }

    /// Keeps the connection to the daemon, and makes a new one when it breaks, until the task is cancelled; to be run
    /// once. Nothing is heard, and calls fail with `daemonUnavailable`, while nobody runs this.
    public func run() async {}

    // MARK: What is there

    /// Whether the daemon is connected.
    public var isConnected: Bool { false }

    /// What the app may do, as the user decided.
    public var authorizationStatus: AuthorizationStatus { [] }

    /// Whether this is the system app, which manages homes and permissions and is never asked.
    public var isSystemApp: Bool { false }

    /// Whether ``homes`` are what the daemon has, be it nothing.
    public var isLoaded: Bool { false }

    /// The homes, oldest first; empty until they are loaded, and without permission.
    public var homes: [Home] { [] }

    /// The home that apps show first; there is one if there are homes.
    public var primaryHome: Home? { homes.first(where: \.isPrimary) }

    /// Waits until the homes are loaded, if need be for the user's permission.
    ///
    /// - Throws: 47 if the user does not allow it, `daemonUnavailable` if there is no connection for some seconds, 23 if
    ///   the task is cancelled.
    public func waitUntilLoaded() async throws(HomeError) { throw HomeError(.operationNotSupported) }

}

/// Connects an app to the homes for as long as the body runs.
///
/// - Parameters:
///   - app: what the app says of itself.
///   - socket: the daemon's socket; if `nil`, where it is by default.
///   - body: what the app does.
/// - Returns: what the body returns.
/// - Throws: what the body throws.
public func withHomeManager<Result: Sendable>(
    _ app: AppDeclaration, socket: String? = nil,
    _ body: @Sendable (HomeManager) async throws -> Result
) async rethrows -> Result {
    let manager = HomeManager(app, socket: socket)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await manager.run() }
        defer { group.cancelAll() }
        return try await body(manager)
    }
}
