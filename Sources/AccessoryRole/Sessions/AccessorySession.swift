internal import HAPModel
internal import HAPProtocol

/// One connection, as the server sees it; a plain object inside the server's actor.
final class AccessorySession {
    let connection: any AccessoryConnection
    /// The controller, once pair verify has succeeded.
    var controller: ControllerID?
    var pairSetup: PairSetupAccessory
    var pairVerify: PairVerifyAccessory
    var subscriptions: Set<CharacteristicID> = []
    var outbox: EventOutbox
    /// The changes that are being published have something for it.
    var isTouched = false
    var preparedWrite = PreparedWrite()
    /// Where the last request went.
    var route = Route.notFound
    /// A request has come and its answer has not left.
    var isAnswering = false
    /// The answer under way is the last one.
    var closesAfterAnswer = false
    /// The last answer has left: what the peer has sent behind that request is not executed.
    var hasEnded = false
    /// M6 is on its way: `sf` follows when it has been written, or the connection has ended.
    var announcesPairing = false
    /// Another value than the request under way wrote came of it.
    var isCorrected = false
    /// What the connection has cost its address: itself, and its requests in clear.
    var cost = 1
    var lastReceived: ContinuousClock.Instant
    let opened: ContinuousClock.Instant
    /// What works on the request, if that takes time.
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
