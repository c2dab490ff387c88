internal import AsyncKit
package import Logging

/// A browser that uses the host's Avahi daemon over the system D-Bus, or over the bus in `DBUS_SYSTEM_BUS_ADDRESS`.
///
/// It keeps working if the Avahi daemon or the bus is missing, restarts or hangs. It never opens port 5353 itself.
package final class AvahiServiceBrowser: ServiceBrowser {
    private let type: String
    private let isWanted: @Sendable (String) -> Bool
    private let shared = SharedBrowsing()
    private let client: AvahiClient
    private let logger: Logger

    /// Creates a browser, which finds services once ``start()`` has been called.
    ///
    /// Instances whose names `isWanted` rejects are neither resolved nor shown.
    ///
    /// - Throws: ``DiscoveryError`` if the system has no memory or file descriptors left.
    package init(
        type: String, logger: Logger, isWanted: @escaping @Sendable (String) -> Bool = { _ in true }
    ) throws(DiscoveryError) {
        self.type = type
        self.isWanted = isWanted
        self.client = try AvahiClient()
        self.logger = logger
    }

    package func start() throws(DiscoveryError) {
        guard shared.start() else { return }
        let browsing = Browsing(type: type, client: client, shared: shared, isWanted: isWanted, logger: logger)
        try client.start { browsing.happened($0) }
        client.wake()
    }

    package func stop() async {
        // Don't wait for a thread that hangs in a call. It ends with the process.
        if let done = shared.close(wake: client.wake), await done.wait(until: .now + .seconds(2)) { client.close() }
        shared.finishListeners()
    }

    package func refresh() { shared.refresh(wake: client.wake) }

    package var snapshot: ServiceSnapshot { shared.snapshot }

    package func snapshots() -> AsyncStream<ServiceSnapshot> { shared.snapshots() }
}

/// A browser for all services of one type.
///
/// No method waits for the network or another process, except ``stop()``, which suspends for a limited time.
package protocol ServiceBrowser: Sendable {
    /// Starts browsing. Until then, no services are found.
    func start() throws(DiscoveryError)

    /// Stops the browser permanently and finishes its streams.
    func stop() async

    /// Queries the networks again soon. Known services are kept until the result of the query shows that they are gone.
    ///
    /// A browser can miss changes: a packet may be lost, and a host that didn't respond for some time doesn't have to
    /// announce its return.
    func refresh()

    var snapshot: ServiceSnapshot { get }

    /// Returns the current snapshot and all later ones. A slow reader may miss snapshots, but never the latest.
    func snapshots() -> AsyncStream<ServiceSnapshot>
}

extension ServiceBrowser {
    /// Does nothing.
    ///
    /// This default fits browsers that query repeatedly anyway.
    package func refresh() {}
}
