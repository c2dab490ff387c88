/// Something that keeps an eye on all services of one type.
///
/// No call waits for the network or for another process, except ``stop()``, which waits for a bounded time and suspends
/// instead of blocking.
package protocol ServiceBrowser: Sendable {
    /// Begins to look; before that, nothing is found.
    func start() throws(DiscoveryError)

    /// Ends the browser for good, and every stream of it.
    func stop() async

    /// What is known now.
    var snapshot: ServiceSnapshot { get }

    /// What is known now and every later change of it; a slow reader misses looks but never the newest.
    func snapshots() -> AsyncStream<ServiceSnapshot>
}
