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
    /// Lamplighter's own (``OwnershipRequirement``). Public sources number pairing items from 00 to 17 without a gap that
    /// one could trust and go on upwards; no vendor has come near D7, and FF stays the separator.
    case ownershipToken = 0xD7
    case separator = 0xFF
}

/// What a request of a pairing endpoint is about (HAP 3.1).
package enum PairingMethod: UInt8, Sendable {
    case pairSetup = 0
    case pairSetupWithAuth = 1
    case pairVerify = 2
    case addPairing = 3
    case removePairing = 4
    case listPairings = 5
    case pairResume = 6
}

/// Why a pairing procedure does not go on, as the peer is told (HAP 3.1).
package enum PairingError: UInt8, Error, Sendable {
    case unknown = 1
    case authentication = 2
    case backoff = 3
    case maxPeers = 4
    case maxTries = 5
    case unavailable = 6
    case busy = 7
}
