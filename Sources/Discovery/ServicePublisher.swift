/// A publisher for one service.
///
/// No method waits for the network or another process. The exceptions are ``withdraw()`` and ``stop()``, which suspend
/// for a limited time.
package protocol ServicePublisher: Sendable {
    /// Starts publishing. Earlier calls take effect then.
    func start() throws(DiscoveryError)

    /// Publishes a service in place of the previous one. Only the differences are changed on the network.
    ///
    /// - Parameter record: The service, or `nil` to remove the service from the network without waiting, unlike
    ///   ``withdraw()``.
    func publish(_ record: ServiceRecord?)

    /// Changes the TXT record in place, without a goodbye or a new name. It has no effect if no service is published.
    func update(txt: TXTRecord)

    /// Removes the service from the network with a goodbye. Returns whether the removal was confirmed in time.
    @discardableResult func withdraw() async -> Bool

    /// Withdraws the service permanently and ends the publisher's thread. Later calls have no effect.
    func stop() async

    var state: PublicationState { get }
}

/// An error that prevents a publisher or a browser from starting.
package struct DiscoveryError: Error, Equatable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}
