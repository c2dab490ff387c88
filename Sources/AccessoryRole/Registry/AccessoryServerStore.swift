package import HAPModel
package import HAPProtocol

/// The configuration number `c#`, and the hash of the database that it belongs to.
package struct StoredConfiguration: Equatable, Sendable {
    /// The number, 1 to 65535.
    package var number: UInt16
    /// The hash of the database with that number, without values; empty before the first database.
    package var databaseHash: [UInt8]

    package init(number: UInt16, databaseHash: [UInt8]) {
        self.number = number
        self.databaseHash = databaseHash
    }
}

/// The persistent state of an accessory server.
package struct StoredServer: Equatable, Sendable {
    package var identity: AccessoryIdentity
    package var setupCode: SetupCode
    package var setupID: SetupID
    package var pairings: PairingList
    package var failedAttempts: Int
    package var configuration: StoredConfiguration
    /// The iids of accessory 1.
    package var instanceIDs: InstanceIDs

    package init(
        identity: AccessoryIdentity, setupCode: SetupCode, setupID: SetupID, pairings: PairingList = PairingList(),
        failedAttempts: Int = 0, configuration: StoredConfiguration = StoredConfiguration(number: 1, databaseHash: []),
        instanceIDs: InstanceIDs = InstanceIDs()
    ) {
        self.identity = identity
        self.setupCode = setupCode
        self.setupID = setupID
        self.pairings = pairings
        self.failedAttempts = failedAttempts
        self.configuration = configuration
        self.instanceIDs = instanceIDs
    }
}

/// The persistent storage of an accessory server.
///
/// Each method returns only when the change would survive a power failure. Changes are atomic.
package protocol AccessoryServerStore: Sendable {
    /// Stores the pairings.
    func save(_ pairings: PairingList) async throws

    /// Stores the count of wrong proofs.
    func save(failedAttempts: Int) async throws

    /// Stores `c#` and its hash.
    func save(_ configuration: StoredConfiguration) async throws

    /// Stores the iids of accessory 1.
    func save(instanceIDs: InstanceIDs) async throws
}
