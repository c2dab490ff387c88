import AsyncKit
import BoundedJSON
import LineRPC
public import Logging
import SystemKit

/// An app's access to the homes of its user.
///
/// The daemon `homehubd` stores the homes for all apps, and a manager holds the app's copy of them. The copy is empty
/// until it's loaded (``waitUntilLoaded()``) and while the app has no permission. The first use asks the user for
/// permission, and calls wait for the answer.
///
/// Most apps use ``withHomeManager(_:socket:logger:_:)``. Others create a manager and run it:
///
/// ```swift
/// let manager = HomeManager(AppDeclaration(id: "org.example.lights", usageDescription: "To switch your lights."))
/// async let running: Void = manager.run()
/// try await manager.waitUntilLoaded()
/// ```
///
/// Show the homes from ``snapshots(observing:)``, which returns the current state and the state after each change.
/// Snapshots are immutable. ``homes`` is up to date before an event is delivered and before a call returns. An app gets
/// no events for its own writes, because their results contain the changes. Calls end within a bounded time. A call
/// whose task is canceled before it had an effect throws `operationCancelled` and has no effect.
public actor HomeManager {
    /// The path of the daemon's socket.
    public nonisolated let socket: String
    let location: SocketLocation
    nonisolated let app: AppDeclaration
    nonisolated let logger: Logger
    nonisolated let timeouts: Timeouts
    nonisolated let listeners = Listeners()
    /// Work that ``run()`` does for calls that have returned.
    nonisolated let tasks = TaskQueue()

    // MARK: The connection

    /// The number of connections so far, which identifies calls of an old connection.
    var connectionNumber: UInt64 = 0
    var peer: LineRPCPeer?
    /// A Boolean value that indicates whether the daemon has accepted the session.
    var isOpen = false
    /// The reason why there is no connection.
    var failure: HomeError?
    var calls: [Int64: PendingCall] = [:]
    var session: SessionReply?
    /// One signal for each task that waits for a change of this state.
    var waiters: [UInt64: AsyncSignal] = [:]
    var lastWaiter: UInt64 = 0
    var hasRun = false
    /// A Boolean value that indicates whether ``run()`` has ended.
    var isOver = false

    // MARK: State

    var replica = Replica()
    /// The number of the current snapshot.
    var snapshotNumber: UInt64 = 0
    /// A Boolean value that indicates whether the homes must be loaded or reloaded.
    var needsLoad = false
    /// The reason why loading failed.
    var loadFailure: HomeError?
    var observations = Observations()
    var search = Search()
    var questions = Recipients<PersonQuestion>()
    var messageRecipients = Recipients<TriggerMessage>()
    /// The setups, oldest first.
    var setups: [AccessorySetupSession] = []

    /// Creates a manager, which connects in ``run()``.
    ///
    /// - Parameters:
    ///   - app: The declaration of the app.
    ///   - socket: The path of the daemon's socket. The default is `$HOMEHUB_SOCKET`, else
    ///     `./.lamplighter/run/home.sock` if no other user can have created it, else `/run/homehub/home.sock`.
    ///   - logger: The logger for background work, such as failures to load the homes. By default, messages are
    ///     discarded.
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
            .homeAccessNotAuthorized, detail: "the app \(app.id) isn't allowed to access the home",
            remedy: isRestricted
                ? "remove the app or user from restrict in homehub.yaml"
                : "allow it with \(ShellCommand.homehub) privacy allow \(app.id)")
    }

    // MARK: Homes

    /// A Boolean value that indicates whether the daemon is connected.
    public var isConnected: Bool { isOpen }

    /// The permission that the user has given to the app.
    public var authorizationStatus: AuthorizationStatus { session?.status ?? [] }

    /// A Boolean value that indicates whether this is the system app.
    ///
    /// The system app manages homes and permissions, and needs no permission.
    public var isSystemApp: Bool { session?.isSystemApp ?? false }

    /// A Boolean value that indicates whether ``homes`` equals the daemon's state.
    ///
    /// It's `false` while the homes are being loaded.
    public var isLoaded: Bool { replica.isCurrent }

    /// The homes, oldest first; empty until they are loaded, and while the app has no permission.
    ///
    /// While the connection is lost, they don't change.
    public var homes: [Home] { replica.graph.homes }

    /// The home that apps show first; `nil` only if ``homes`` is empty.
    public var primaryHome: Home? { replica.graph.primaryHome }

    /// Waits until the homes are loaded, and for the user's permission if necessary.
    ///
    /// - Throws: `homeAccessNotAuthorized` if the user denies permission, `daemonUnavailable` if the connection is
    ///   missing for some seconds, `operationCancelled` if the task is canceled.
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

/// Connects an app to the homes while the body runs.
///
/// - Parameters:
///   - app: The declaration of the app.
///   - socket: The path of the daemon's socket; `nil` for the default of ``HomeManager/init(_:socket:logger:)``.
///   - logger: The logger for background work, as in ``HomeManager/init(_:socket:logger:)``.
///   - body: The closure that uses the manager. It runs in the caller's isolation, so on the main actor it can change
///     the app's model.
/// - Returns: The result of the body.
/// - Throws: The errors of the body.
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
