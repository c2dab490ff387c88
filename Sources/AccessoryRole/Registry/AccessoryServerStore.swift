package import HAPModel
package import HAPProtocol

/// `c#` and what it stands for.
package struct StoredConfiguration: Equatable, Sendable {
    /// 1 to 65535.
    package var number: UInt16
    /// The hash of the database without values at that number; empty before the first.
    package var databaseHash: [UInt8]

    package init(number: UInt16, databaseHash: [UInt8]) {
        self.number = number
        self.databaseHash = databaseHash
    }
}

/// All that an accessory server must never forget.
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

/// Where an accessory server keeps what it must never forget.
///
/// Each function returns when the change is durable, survives a power cut from then on, and either has happened whole or
/// not at all.
package protocol AccessoryServerStore: Sendable {
    /// Replaces the pairings.
    func save(_ pairings: PairingList) async throws

    /// Replaces the count of failed proofs.
    func save(failedAttempts: Int) async throws

    /// Replaces `c#` and its hash.
    func save(_ configuration: StoredConfiguration) async throws

    /// Replaces the iids of accessory 1.
    func save(instanceIDs: InstanceIDs) async throws
}
