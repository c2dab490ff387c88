internal import HAPModel
internal import HAPProtocol

/// A connection and its state: a plain object inside the server's actor.
final class AccessorySession {
    let connection: any AccessoryConnection
    /// The controller, once pair verify has succeeded.
    var controller: ControllerID?
    var pairSetup: PairSetupAccessory
    var pairVerify: PairVerifyAccessory
    var subscriptions: Set<CharacteristicID> = []
    var outbox: EventOutbox
    /// A Boolean value that indicates whether the changes being published affect the session.
    var isTouched = false
    var preparedWrite = PreparedWrite()
    /// The route of the most recent request.
    var route = Route.notFound
    /// A Boolean value that indicates whether a request has arrived and its response is pending.
    var isAnswering = false
    /// A Boolean value that indicates whether the connection closes after the pending response.
    var closesAfterAnswer = false
    /// A Boolean value that indicates whether the last response was sent; further requests from the peer are ignored.
    var hasEnded = false
    /// A Boolean value that indicates whether M6 is being sent.
    ///
    /// `sf` changes when M6 has been written or the connection has ended.
    var announcesPairing = false
    /// A Boolean value that indicates whether the current write resulted in a value other than the requested one.
    var isCorrected = false
    /// The units charged to the peer's address: one for the connection and one for each unencrypted request.
    var cost = 1
    var lastReceived: ContinuousClock.Instant
    let opened: ContinuousClock.Instant
    /// The task that processes the current request, if it is asynchronous.
    var task: Task<Void, Never>?

    init(
        connection: any AccessoryConnection, identity: AccessoryIdentity, ownership: OwnershipRequirement?,
        eventWindow: Duration, now: ContinuousClock.Instant
    ) {
        self.connection = connection
        pairSetup = PairSetupAccessory(identity: identity, ownership: ownership)
        pairVerify = PairVerifyAccessory(identity: identity)
        outbox = EventOutbox(window: eventWindow)
        lastReceived = now
        opened = now
    }

    var id: ConnectionID { connection.id }
    var isVerified: Bool { controller != nil }
}
