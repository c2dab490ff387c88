/// A publisher for one service.
///
/// No method waits for the network or another process. The exceptions are ``withdraw()`` and ``stop()``, which suspend
/// for a limited time.
package protocol ServicePublisher: Sendable {
    /// Starts publishing.
    ///
    /// Earlier calls to ``publish(_:)`` and ``update(txt:)`` take effect when this function is called.
    func start() throws(DiscoveryError)

    /// Publishes a service, which replaces the previous one. If only the TXT record or the interfaces differ,
    /// registrations that are still valid are kept.
    ///
    /// - Parameter record: The service, or `nil` to remove the service from the network. Unlike ``withdraw()``, this
    ///   function doesn't wait for the removal.
    func publish(_ record: ServiceRecord?)

    /// Changes the TXT record in place, without a goodbye or a new name. It has no effect if there is no service to
    /// publish.
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
