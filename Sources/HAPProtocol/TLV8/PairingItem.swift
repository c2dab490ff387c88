/// The items of pairing messages (HAP 3.1).
package enum PairingItem: UInt8, Sendable {
    case method = 0x00
    case identifier = 0x01
    case salt = 0x02
    case publicKey = 0x03
    case proof = 0x04
    case encryptedData = 0x05
    case state = 0x06
    case error = 0x07
    case retryDelay = 0x08
    case certificate = 0x09
    case signature = 0x0A
    case permissions = 0x0B
    case fragmentData = 0x0C
    case fragmentLast = 0x0D
    case sessionID = 0x0E
    case flags = 0x13
    /// The ownership token, which is a Lamplighter extension (see ``OwnershipRequirement``).
    ///
    /// Public sources use the numbers 00 to 17 for pairing items, and may add higher numbers. No vendor is known to use
    /// numbers near D7. FF is the separator.
    case ownershipToken = 0xD7
    case separator = 0xFF
}

/// The purpose of a request to a pairing endpoint (HAP 3.1).
package enum PairingMethod: UInt8, Sendable {
    case pairSetup = 0
    case pairSetupWithAuth = 1
    case pairVerify = 2
    case addPairing = 3
    case removePairing = 4
    case listPairings = 5
    case pairResume = 6
}

/// The reason for the failure of a pairing procedure, as sent to the peer (HAP 3.1).
package enum PairingError: UInt8, Error, Sendable {
    case unknown = 1
    case authentication = 2
    case backoff = 3
    case maxPeers = 4
    case maxTries = 5
    case unavailable = 6
    case busy = 7
}
