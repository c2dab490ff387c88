import AccessoryRole
import HAPAccessory
import HAPCrypto
import HAPModel
import HAPProtocol
import PairingFiles
import SystemKit
import TerminalKit

/// The validated identity and pairings of another program's bridge.
struct ImportedIdentity {
    private let identity: AccessoryIdentity
    private let setupCode: SetupCode?
    private let setupID: SetupID?
    private let configurationNumber: UInt16
    private let pairings: PairingList
    private let highestAID: UInt64

    /// - Throws: ``IdentityImportError`` if the identity is invalid.
    init(_ stored: BridgeIdentity) throws(IdentityImportError) {
        guard let deviceID = DeviceID(stored.deviceID), deviceID.description == stored.deviceID,
            let key = try? Ed25519KeyPair(seed: SecretBytes(stored.seed)), key.publicKey == stored.publicKey
        else { throw .invalid("its secret key and its public key don't belong together") }
        identity = AccessoryIdentity(deviceID: deviceID, longTermKey: key)
        setupCode = stored.setupCode.flatMap { SetupCode($0) }
        setupID = stored.setupID.flatMap { SetupID($0) }
        guard let number = UInt16(exactly: stored.configurationNumber), number > 0,
            stored.highestAID <= BridgeIdentity.highestKnownAID
        else { throw .invalid("a number is out of range") }
        // Like a restored backup, an imported bridge has a c# that its controllers haven't seen.
        let raised = (Int(number) + BridgeBackup.configurationNumberStep - 1) % Int(UInt16.max) + 1
        configurationNumber = UInt16(raised)
        highestAID = stored.highestAID
        var pairings = PairingList()
        for controller in stored.controllers {
            guard let id = ControllerID(controller.id), controller.publicKey.count == Ed25519.publicKeyLength,
                !pairings.isFull
            else { throw .invalid("a pairing is invalid") }
            pairings.set(Pairing(controller: id, publicKey: controller.publicKey, isAdmin: controller.isAdmin))
        }
        guard pairings.hasAdmin else { throw .invalid("no pairing has admin rights") }
        self.pairings = pairings
    }

    /// Replaces the identity and the pairings of the first bridge.
    ///
    /// - Throws: An SQLite error.
    func save(in database: BridgeDatabase) async throws {
        try await database.server.save(
            identity, setupCode: setupCode, setupID: setupID, configurationNumber: configurationNumber)
        try await database.save(pairings)
        try await database.raiseAIDs(above: highestAID)
    }
}

/// The reason why an identity can't be imported.
enum IdentityImportError: ErrorWithExitCode, Equatable {
    /// The identity is invalid.
    case invalid(String)
    /// The present bridge has pairings, which would be lost.
    case isPaired(Int)

    var exitCode: ExitCode { .badData }

    var description: String {
        switch self {
        case .invalid(let reason): "the identity can't be imported: \(reason)"
        case .isPaired(let count):
            "this bridge has \(count.of("pairing")), which the import would remove; add --replace-pairings if you don't "
                + "need them"
        }
    }
}
