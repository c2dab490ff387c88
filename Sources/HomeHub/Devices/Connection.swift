import HAPController
import HAPProtocol
import HomeModel

import struct HAPModel.AccessoryID
import struct HAPModel.CharacteristicID

/// What the hub knows of its link to one accessory server.
struct Connection: Sendable {
    let link: AccessoryLink
    /// Whether there is a session.
    var isConnected = false
    /// Whether nothing is known yet of how the first try to connect ends.
    var isOpening = true
    /// Whether it is still to be seen which of the accessories behind it are there.
    var isUnproven = false
    /// What was heard before it could be said that it is there.
    var early: [CharacteristicID: Reading] = [:]
    /// What it consists of now, if that could not be stored, or not so soon after the last time.
    var unstored: AccessoryDatabase?
    /// When a home last took over, or refused, what it consists of.
    var storedAt: ContinuousClock.Instant?
    /// How often it has broken the rules since it last kept to them.
    var violations = 0
    /// Whether it consists of what no home can take.
    var isUnusable = false
    /// The accessories behind it that it cannot reach.
    var away: Set<AccessoryID> = []
    /// Where the homes' characteristics are.
    var places: [CharacteristicID: Characteristic.ID] = [:]
    var requests = RequestsUnderWay()

    // What the link was asked to have reported, and what the accessory refused of it.
    var wanted: Set<CharacteristicID> = []
    var refusals: [CharacteristicID: HomeError.Code] = [:]
    var isSettling = false
    private var settling: [AsyncStream<Void>.Continuation] = []
    private var opening: [AsyncStream<Void>.Continuation] = []

    init(_ link: AccessoryLink) { self.link = link }

    // MARK: Waiting for it

    /// Ends once it is known whether there is a connection.
    mutating func untilOpened() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        if isOpening { opening.append(continuation) } else { continuation.finish() }
        return stream
    }

    mutating func opened() {
        isOpening = false
        for waiter in opening { waiter.finish() }
        opening = []
    }

    /// Ends once the accessory has been told what to report.
    mutating func untilSettled() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        if isSettling { settling.append(continuation) } else { continuation.finish() }
        return stream
    }

    mutating func settled() {
        isSettling = false
        for waiter in settling { waiter.finish() }
        settling = []
    }
}
