/// Something that shows one service to the network.
///
/// No call waits for the network or for another process, except ``withdraw()`` and ``stop()``, which wait for a
/// bounded time and suspend instead of blocking.
package protocol ServicePublisher: Sendable {
    /// Begins to work; before that, orders are only remembered.
    func start() throws(DiscoveryError)

    /// Makes this the published service; only what differs from the one before is changed on the network.
    ///
    /// - Parameter record: nil takes the service off the network and, unlike ``withdraw()``, does not wait for it.
    func publish(_ record: ServiceRecord?)

    /// Changes the TXT record in place: no goodbye, same name. Nothing happens when nothing is to be published.
    func update(txt: TXTRecord)

    /// Takes the service off the network with a goodbye; true when that is known to have been done in time.
    @discardableResult func withdraw() async -> Bool

    /// Withdraws for good and ends the publisher's thread; afterwards no call has an effect.
    func stop() async

    var state: PublicationState { get }
}

/// What keeps a publisher from starting at all.
package struct DiscoveryError: Error, Equatable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}
