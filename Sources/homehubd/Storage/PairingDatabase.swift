internal import DaemonKit
internal import DatabaseKit
internal import GRDB
internal import HAPController
internal import HAPCrypto
internal import HAPModel
internal import HAPProtocol

/// The hub's identity as a controller and its pairings, in the same file as the homes.
struct PairingDatabase: PairingVault {
    private let queue: DatabaseQueue

    /// Creates a vault from an open database that ``HomeSchema`` has migrated.
    init(_ queue: DatabaseQueue) { self.queue = queue }

    /// Checks the stored data at startup, when damage can still be reported.
    ///
    /// - Throws: `DamagedDatabase` if the stored data is inconsistent, or SQLite's error.
    func check() throws {
        try queue.read { db in
            let pairings = try Self.pairings(db)
            // Without the identity, all accessories reject the hub.
            if try Self.identity(db) == nil, !pairings.isEmpty {
                throw DamagedDatabase(description: "the identity is missing")
            }
        }
    }

    func identity() async throws -> ControllerIdentity {
        try await queue.writeToTheEnd { db in
            if let identity = try Self.identity(db) { return identity }
            let identity = ControllerIdentity.random()
            try db.execute(
                sql: "INSERT INTO controller (id, identifier, longTermSeed) VALUES (1, ?, ?)",
                arguments: [Blob(identity.controller.bytes).data, Blob(identity.longTermKey.seed.copy).data])
            return identity
        }
    }

    func pairings() async throws -> [AccessoryPairing] { try await queue.writeToTheEnd { try Self.pairings($0) } }

    func keep(_ pairing: AccessoryPairing) async throws {
        try await queue.writeToTheEnd { db in
            try Self.keep(pairing, in: "pairing", db)
        }
    }

    /// Stores a pairing in one of the pairing tables, replacing an older pairing with the same accessory.
    static func keep(_ pairing: AccessoryPairing, in table: String, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO \(table) (deviceID, publicKey) VALUES (?, ?)
                ON CONFLICT (deviceID) DO UPDATE SET publicKey = excluded.publicKey
                """,
            arguments: [pairing.deviceID.description, Blob(pairing.publicKey).data])
    }

    /// Replaces an accessory's pairing with a candidate.
    static func promote(_ candidate: AccessoryPairing, _ db: Database) throws {
        try keep(candidate, in: "pairing", db)
        try forgetCandidate(candidate.deviceID, db)
    }

    /// Removes a candidate.
    ///
    /// It has no effect if the candidate doesn't exist.
    static func forgetCandidate(_ device: DeviceID, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM pairingCandidate WHERE deviceID = ?", arguments: [device.description])
    }

    func forget(_ accessory: DeviceID) async throws {
        try await queue.writeToTheEnd { db in
            try db.execute(sql: "DELETE FROM pairing WHERE deviceID = ?", arguments: [accessory.description])
        }
    }

    private static func identity(_ db: Database) throws -> ControllerIdentity? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM controller") else { return nil }
        return ControllerIdentity(
            controller: try row.read("identifier", try ControllerID(row.blob("identifier"))),
            longTermKey: try row.read(
                "longTermSeed", try? Ed25519KeyPair(seed: SecretBytes(row.blob("longTermSeed")))))
    }

    /// Loads the pairings of one of the pairing tables, oldest first.
    static func pairings(_ db: Database, in table: String = "pairing") throws -> [AccessoryPairing] {
        try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY rowid").map { row in
            let publicKey = try row.blob("publicKey")
            guard publicKey.count == Ed25519.publicKeyLength else { throw row.damaged("publicKey") }
            return AccessoryPairing(
                deviceID: try row.read("deviceID", DeviceID(try row.text("deviceID"))), publicKey: publicKey)
        }
    }
}
