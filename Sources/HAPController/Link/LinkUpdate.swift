package import HAPModel
package import HAPProtocol

/// How things stand between us and an accessory.
package enum LinkState: Equatable, Sendable {
    /// Nobody has said where the accessory is.
    case searching
    /// A connection is being made.
    case connecting
    /// There is a session, and everything has been read.
    case connected
    /// The last connection has failed or ended; the next try is on its way.
    case unreachable(LinkFailure)
    /// The link has been stopped for good.
    case stopped
}

/// Why there is no session.
package enum LinkFailure: Equatable, Sendable {
    /// No address answers.
    case unreachable
    /// Another accessory answers at every address.
    case otherAccessory
    /// The accessory does not know us any more: somebody has removed our pairing, or has reset it.
    case notPaired
    /// The accessory has no time for us.
    case busy
    /// The connection ended.
    case ended(SessionEnd)
    /// The attribute database cannot be used.
    case outOfCompliance(ComplianceError)
}

/// What a characteristic is worth, or why that is not known.
package typealias Reading = Result<CharacteristicValue, HAPStatus>

/// News of one accessory server.
package enum LinkUpdate: Equatable, Sendable {
    case state(LinkState)
    /// What the accessory consists of, with the values it told; read anew, and so for the first time or another one.
    case database(AccessoryDatabase, configurationNumber: UInt32?)
    /// What was told by events or found by reading; of each characteristic the newest.
    case values([CharacteristicID: Reading])
    /// Something happened that leaves no value behind, such as a press of a button.
    case occurrence(CharacteristicID, CharacteristicValue)
}
