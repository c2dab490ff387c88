import AsyncKit
import BoundedJSON
import LineRPC
public import Logging

/// An app's access to the homes of its user.
///
/// The homes are kept by the daemon `homehubd`, which all apps share; this is the app's copy of them. It is empty until
/// it was loaded (``waitUntilLoaded()``) and as long as the user does not allow the app to see it. The first use raises
/// the question of permission; calls wait for the answer.
///
/// Most apps use ``withHomeManager(_:socket:logger:_:)``. Others make one and run it:
///
/// ```swift
/// let manager = HomeManager(AppDeclaration(id: "org.example.lights", usageDescription: "To switch your lights."))
/// async let running: Void = manager.run()
/// try await manager.waitUntilLoaded()
/// ```
///
/// Show the homes from ``snapshots(observing:)``: what is now, and then what is after each change. Snapshots never change
/// under their holder. ``homes`` is up to date before an event is told and before a call returns. An app gets no events
/// for its own writes; their results hold what changed. Calls end within a bounded time, and a call whose task is
/// cancelled before it had an effect throws `operationCancelled` and has none.
public actor HomeManager {
    /// Where the daemon is looked for.
    public nonisolated let socket: String
    let location: SocketLocation
    nonisolated let app: AppDeclaration
    nonisolated let logger: Logger
    nonisolated let timeouts: Timeouts
    nonisolated let listeners = Listeners()
    /// What is to be done behind a caller's back, by ``run()``.
    nonisolated let tasks = TaskQueue()

    // MARK: The connection

    /// Counts connections, so that what belongs to an old one is distinguished.
    var connectionNumber: UInt64 = 0
    var peer: LineRPCPeer?
    /// Whether the daemon took us.
    var isOpen = false
    /// Why there is no connection.
    var failure: HomeError?
    var calls: [Int64: PendingCall] = [:]
    var session: SessionReply?
    /// One for each task that waits for a change of this state.
    var waiters: [UInt64: AsyncSignal] = [:]
    var lastWaiter: UInt64 = 0
    var hasRun = false
    /// Whether ``run()`` is over.
    var isOver = false

    // MARK: What is kept

    var replica = Replica()
    /// Counts what readers of snapshots are to see.
    var snapshotNumber: UInt64 = 0
    /// Whether the homes are to be loaded (anew).
    var needsLoad = false
    /// Why they could not be.
    var loadFailure: HomeError?
    var observations = Observations()
    var search = Search()
    var questions = Questions()
    /// In the order in which they were begun.
    var setups: [AccessorySetupSession] = []

    /// Declares the app; nothing is connected before ``run()``.
    ///
    /// - Parameters:
    ///   - app: what the app says of itself.
    ///   - socket: the daemon's socket; if `nil`, `$HOMEHUB_SOCKET`, else `./.lamplighter/run/home.sock` if no
    ///     other user can have put it there, else `/run/homehub/home.sock`.
    ///   - logger: where it logs what it does on its own, such as why homes could not be loaded; by default nowhere.
    public init(
        _ app: AppDeclaration, socket: String? = nil,
        logger: Logger = Logger(label: "home") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.init(app, socket: socket, logger: logger, timeouts: Timeouts())
    }

    init(_ app: AppDeclaration, socket: String?, logger: Logger, timeouts: Timeouts) {
        self.app = app
        location = SocketLocation(of: .hub, given: socket)
        self.socket = location.path
        self.logger = logger
        self.timeouts = timeouts
    }

    /// The error of an app without permission.
    var notAuthorized: HomeError {
        let isRestricted = authorizationStatus.contains(.restricted)
        return HomeError(
            .homeAccessNotAuthorized, detail: "the app \(app.id) may not see the home",
            remedy: isRestricted
                ? "the configuration of homehubd keeps it or its user out"
                : "allow it with \"homehub privacy allow \(app.id)\"")
    }

    // MARK: What is there

    /// Whether the daemon is connected.
    public var isConnected: Bool { isOpen }

    /// What the app may do, as the user decided.
    public var authorizationStatus: AuthorizationStatus { session?.status ?? [] }

    /// Whether this is the system app, which manages homes and permissions and is never asked.
    public var isSystemApp: Bool { session?.isSystemApp ?? false }

    /// Whether ``homes`` are what the daemon has, be it nothing; not while they are being loaded.
    public var isLoaded: Bool { replica.isCurrent }

    /// The homes, oldest first; empty until they are loaded, and without permission.
    ///
    /// While the connection is lost they are what they were.
    public var homes: [Home] { replica.graph.homes }

    /// The home that apps show first; there is one if there are homes.
    public var primaryHome: Home? { replica.graph.primaryHome }

    /// Waits until the homes are loaded, if need be for the user's permission.
    ///
    /// - Throws: `homeAccessNotAuthorized` if the user does not allow it, `daemonUnavailable` if there is no connection
    ///   for some seconds, `operationCancelled` if the task is cancelled.
    public func waitUntilLoaded() async throws(HomeError) {
        while true {
            _ = try await connected()
            let result: Result<Bool, HomeError>? = await wait(atMost: nil) {
                if replica.isCurrent { return .success(true) }
                if let loadFailure { return .failure(loadFailure) }
                return isOpen ? nil : .success(false)
            }
            guard let result else { throw HomeError(.operationCancelled) }
            if try result.get() { return }
        }
    }
}

/// Connects an app to the homes for as long as the body runs.
///
/// - Parameters:
///   - app: what the app says of itself.
///   - socket: the daemon's socket; if `nil`, where it is by default.
///   - logger: as in ``HomeManager/init(_:socket:logger:)``.
///   - body: what the app does, in the caller's isolation: on the main actor it can change the app's model.
/// - Returns: what the body returns.
/// - Throws: what the body throws.
public func withHomeManager<Result>(
    _ app: AppDeclaration, socket: String? = nil,
    logger: Logger = Logger(label: "home") { _ in SwiftLogNoOpLogHandler() },
    _ body: (HomeManager) async throws -> Result
) async rethrows -> Result {
    try await withHomeManager(app, socket: socket, logger: logger, timeouts: Timeouts(), body)
}

package func withHomeManager<Result>(
    _ app: AppDeclaration, socket: String?,
    logger: Logger = Logger(label: "home") { _ in SwiftLogNoOpLogHandler() }, timeouts: Timeouts,
    _ body: (HomeManager) async throws -> Result
) async rethrows -> Result {
    let manager = HomeManager(app, socket: socket, logger: logger, timeouts: timeouts)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await manager.run() }
        defer { group.cancelAll() }
        return try await body(manager)
    }
}
