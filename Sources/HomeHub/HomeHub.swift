package import HAPController
package import HAPProtocol
package import HomeModel
package import Logging

/// The one writer of the home database, and the one controller of all accessories in it.
///
/// Apps open sessions and ask; what they are to be told, answers and news alike, is taken with ``nextDelivery(for:)``
/// and sent in that order.
package actor HomeHub {
    package nonisolated let unownedExecutor: UnownedSerialExecutor

    private let executor: any SerialExecutor
    private let store: any HomeStore
    private let vault: any PairingVault
    private let browser: AccessoryBrowser
    private let dialer: any AccessoryDialer
    private let configuration: Configuration
    private let logger: Logger

    /// What the daemon decides about its hub.
    package struct Configuration: Sendable {
        package var systemApp: SystemApp
        package var restrictions = AppRestrictions()
        /// How much news may wait for a session.
        package var feedLimit = ChangeFeed.defaultLimit
        /// How long a maker's app has to come and answer.
        package var vendorPatience = Duration.seconds(60)
        package var timing = ControllerTiming()

        package init(systemApp: SystemApp) { self.systemApp = systemApp }
    }

    /// Loads what is stored; nothing is connected before ``run()``.
    ///
    /// - Parameters:
    ///   - executor: runs the hub, and blocks while the store writes: it carries nobody else.
    ///   - store: the homes.
    ///   - vault: the pairings.
    ///   - browser: sees the accessories of the networks; started by ``run()``.
    ///   - dialer: connects to them.
    ///   - configuration: what the daemon decides.
    ///   - logger: where trouble is told.
    /// - Throws: what the store throws.
    package init(
        executor: any SerialExecutor, store: any HomeStore, vault: any PairingVault, browser: AccessoryBrowser,
        dialer: any AccessoryDialer, configuration: Configuration, logger: Logger
    ) throws {
        self.executor = executor
        unownedExecutor = executor.asUnownedSerialExecutor()
        self.store = store
        self.vault = vault
        self.browser = browser
        self.dialer = dialer
        self.configuration = configuration
        self.logger = logger
    }

    /// Looks after the accessories until the caller is cancelled; to be run once.
    package func run() async {}

    // MARK: Sessions

    /// An app opens a session.
    ///
    /// - Parameters:
    ///   - opening: what the app says of itself.
    ///   - peer: what the system says of it.
    /// - Returns: the session, and what the app may do as of now.
    /// - Throws: as `Permissions.opened`; then there is no session.
    package func open(
        _ opening: SessionOpening, by peer: AppPeer
    ) throws(HomeError) -> (session: SessionID, reply: SessionReply) {
        throw HomeError(.operationNotSupported)
    }

    /// A session is over; nothing of its calls that is not committed yet happens.
    package func close(_ session: SessionID) {}

    /// An app asks for something; the answer comes with ``nextDelivery(for:)``.
    ///
    /// - Parameters:
    ///   - request: anything but another `open`.
    ///   - call: what it waits on; numbers are used once in a session.
    package func receive(_ request: HomeRequest, as call: Call) {}

    /// The app would rather not wait any longer: what is not committed yet is answered with 23, or with 47 while it
    /// waits for permission.
    package func cancel(_ call: Call) {}

    /// What a session is to be told next; waits until there is something.
    ///
    /// For one reader a session. Take the next only when the last has been handed to the system: what is not taken is
    /// bounded here.
    ///
    /// - Returns: `nil` once the session is over or the caller is cancelled.
    package func nextDelivery(for session: SessionID) async -> Delivery? { nil }
}
