internal import AsyncKit
package import Logging

/// Browses through the host's Avahi daemon, over the system D-Bus (or the one `DBUS_SYSTEM_BUS_ADDRESS` names).
///
/// It survives whatever becomes of either: absent, restarted, hung. It never opens port 5353 itself.
package final class AvahiServiceBrowser: ServiceBrowser {
    private let type: String
    private let isWanted: @Sendable (String) -> Bool
    private let shared = SharedBrowsing()
    private let client: AvahiClient
    private let logger: Logger

    /// Creates a browser that finds nothing before ``start()``; instances with unwanted names cost nothing and aren't
    /// shown.
    ///
    /// - Throws: ``DiscoveryError`` when the system has no memory or descriptors left.
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
        // A thread that hangs in a call is not waited for: it ends with the process.
        if let done = shared.close(wake: client.wake), await done.wait(until: .now + .seconds(2)) { client.close() }
        shared.finishListeners()
    }

    package func refresh() { shared.refresh(wake: client.wake) }

    package var snapshot: ServiceSnapshot { shared.snapshot }

    package func snapshots() -> AsyncStream<ServiceSnapshot> { shared.snapshots() }
}

/// Something that keeps an eye on all services of one type.
///
/// No call waits for the network or for another process, except ``stop()``, which waits for a bounded time and suspends
/// instead of blocking.
package protocol ServiceBrowser: Sendable {
    /// Begins to look; before that, nothing is found.
    func start() throws(DiscoveryError)

    /// Ends the browser for good, and every stream of it.
    func stop() async

    /// Asks the networks anew, soon: what is known stays until it turns out otherwise.
    ///
    /// Who follows a service is not told of everything: a record may be lost on its way, and a host that was silent for
    /// some time need not say that it is back.
    func refresh()

    var snapshot: ServiceSnapshot { get }

    /// What is known now and every later change of it; a slow reader misses looks but never the newest.
    func snapshots() -> AsyncStream<ServiceSnapshot>
}

extension ServiceBrowser {
    /// Does nothing, for those that ask again and again anyway.
    package func refresh() {}
}
