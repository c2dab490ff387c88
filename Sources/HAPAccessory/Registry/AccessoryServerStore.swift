package import HAPModel
package import HAPProtocol
package import LightKit

/// A light's key: the driver's id and the light's own, `<driver id>/<light id>`.
///
/// It never changes with a name.
package struct LightKey: Hashable, Sendable, CustomStringConvertible {
    package let driver: String
    package let light: LightID

    package init(driver: String, light: LightID) {
        self.driver = driver
        self.light = light
    }

    /// Reads `<driver id>/<light id>`; the light's id may hold further slashes.
    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/"), slash != text.startIndex else { return nil }
        driver = String(text[..<slash])
        light = LightID(String(text[text.index(after: slash)...]))
        if light.rawValue.isEmpty { return nil }
    }

    package var description: String { "\(driver)/\(light)" }
}

/// A light as it was last known, under an aid that is its own for ever.
package struct StoredLight: Equatable, Sendable {
    package var key: LightKey
    package var aid: AccessoryID
    package var instanceIDs: InstanceIDs
    package var description: LightDescription
    /// The last state; `nil` if none was ever reported.
    package var state: LightReport?
    /// The light is gone and its aid is kept for its return.
    package var isRemoved: Bool

    package init(
        key: LightKey, aid: AccessoryID, instanceIDs: InstanceIDs, description: LightDescription,
        state: LightReport? = nil, isRemoved: Bool = false
    ) {
        self.key = key
        self.aid = aid
        self.instanceIDs = instanceIDs
        self.description = description
        self.state = state
        self.isRemoved = isRemoved
    }
}

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

/// All that a server must never forget.
package struct StoredServer: Equatable, Sendable {
    package var identity: AccessoryIdentity
    package var setupCode: SetupCode
    package var setupID: SetupID
    package var pairings: PairingList
    package var failedAttempts: Int
    package var configuration: StoredConfiguration
    package var bridgeInstanceIDs: InstanceIDs
    package var lights: [StoredLight]

    package init(
        identity: AccessoryIdentity, setupCode: SetupCode, setupID: SetupID, pairings: PairingList = PairingList(),
        failedAttempts: Int = 0, configuration: StoredConfiguration = StoredConfiguration(number: 1, databaseHash: []),
        bridgeInstanceIDs: InstanceIDs = InstanceIDs(), lights: [StoredLight] = []
    ) {
        self.identity = identity
        self.setupCode = setupCode
        self.setupID = setupID
        self.pairings = pairings
        self.failedAttempts = failedAttempts
        self.configuration = configuration
        self.bridgeInstanceIDs = bridgeInstanceIDs
        self.lights = lights
    }
}

/// Where a server keeps what it must never forget.
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

    /// Replaces the iids of the bridge's own accessory.
    func save(bridgeInstanceIDs: InstanceIDs) async throws

    /// Adds or replaces one light.
    func save(_ light: StoredLight) async throws

    /// Replaces the last states of some lights.
    func save(states: [LightKey: LightReport]) async throws
}
