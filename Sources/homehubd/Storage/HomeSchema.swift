import GRDB

/// The tables of `home.sqlite`.
///
/// - `position` orders the objects by age. New objects get increasing positions, and a replaced object keeps its
///   position.
/// - An accessory without a room is in its home's default room.
/// - An object that belongs to a home in two ways, such as a room in a zone, has foreign keys that include the home's
///   ID, so that both refer to the same home.
/// - References are checked at the end of a transaction. Its events are in the order in which apps are notified, so a
///   reference may precede the object to which it refers.
enum HomeSchema {
    /// The application ID that marks the database as this program's: "HOME" in ASCII.
    static let applicationID: Int32 = 0x484F_4D45

    /// The migrations from an empty file to the current tables.
    ///
    /// A released migration never changes.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            for table in homes + devices + scenes + others { try db.execute(sql: table) }
        }
        migrator.registerMigration("2") { db in try db.execute(sql: vendorClaim) }
        migrator.registerMigration("3") { db in
            for table in groups { try db.execute(sql: table) }
            try db.execute(sql: "ALTER TABLE actionSet ADD COLUMN lastExecutionTime INTEGER")
        }
        migrator.registerMigration("4") { db in try db.execute(sql: pairingCandidate) }
        migrator.registerMigration("5") { db in for table in automations { try db.execute(sql: table) } }
        migrator.registerMigration("6") { db in
            try db.execute(sql: "ALTER TABLE trigger ADD COLUMN openers TEXT NOT NULL DEFAULT '[]'")
        }
        return migrator
    }

    /// Automations, with their states and their history, people, and the locations of homes.
    ///
    /// Definitions, states and records are stored in JSON.
    private static let automations = [
        """
        CREATE TABLE trigger (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            home TEXT NOT NULL REFERENCES home (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            name TEXT NOT NULL,
            isEnabled INTEGER NOT NULL CHECK (isEnabled IN (0, 1)),
            definition TEXT NOT NULL,
            missingParts TEXT NOT NULL,
            creator TEXT,
            UNIQUE (home, name))
        """,
        """
        CREATE TABLE triggerState (
            trigger TEXT NOT NULL PRIMARY KEY
                REFERENCES trigger (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            state TEXT NOT NULL)
        """,
        """
        CREATE TABLE triggerRecord (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            trigger TEXT NOT NULL REFERENCES trigger (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            record TEXT NOT NULL)
        """,
        "CREATE INDEX triggerRecordTrigger ON triggerRecord (trigger, position)",
        """
        CREATE TABLE person (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            home TEXT NOT NULL REFERENCES home (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            name TEXT NOT NULL,
            isHome INTEGER NOT NULL CHECK (isHome IN (0, 1)),
            UNIQUE (home, name))
        """,
        "ALTER TABLE home ADD COLUMN latitude REAL",
        "ALTER TABLE home ADD COLUMN longitude REAL",
        "ALTER TABLE home ADD COLUMN timeZone TEXT",
    ]

    /// The new pairings of accessories that are being repaired, until they replace the old pairings.
    private static let pairingCandidate = """
        CREATE TABLE pairingCandidate (
            deviceID TEXT NOT NULL PRIMARY KEY,
            publicKey BLOB NOT NULL)
        """

    /// The user's decisions about vendors' apps.
    private static let vendorClaim = """
        CREATE TABLE vendorClaim (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            uid INTEGER NOT NULL,
            executable TEXT NOT NULL,
            vendor TEXT NOT NULL,
            isAllowed INTEGER NOT NULL CHECK (isAllowed IN (0, 1)),
            UNIQUE (app, uid, executable, vendor))
        """

    private static let homes = [
        """
        CREATE TABLE home (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL UNIQUE,
            isPrimary INTEGER NOT NULL CHECK (isPrimary IN (0, 1)),
            revision INTEGER NOT NULL CHECK (revision > 0),
            defaultRoom TEXT NOT NULL UNIQUE)
        """,
        "CREATE UNIQUE INDEX primaryHome ON home (isPrimary) WHERE isPrimary",
        """
        CREATE TABLE room (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            home TEXT NOT NULL REFERENCES home (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            name TEXT NOT NULL,
            UNIQUE (home, name), UNIQUE (id, home))
        """,
        """
        CREATE TABLE zone (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            home TEXT NOT NULL REFERENCES home (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            name TEXT NOT NULL,
            UNIQUE (home, name), UNIQUE (id, home))
        """,
        """
        CREATE TABLE zoneRoom (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            home TEXT NOT NULL,
            zone TEXT NOT NULL,
            room TEXT NOT NULL,
            UNIQUE (zone, room),
            FOREIGN KEY (zone, home) REFERENCES zone (id, home) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            FOREIGN KEY (room, home) REFERENCES room (id, home) DEFERRABLE INITIALLY DEFERRED)
        """,
        "CREATE INDEX zoneRoomRoom ON zoneRoom (room)",
    ]

    private static let devices = [
        """
        CREATE TABLE accessory (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            home TEXT NOT NULL REFERENCES home (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            name TEXT NOT NULL,
            configuredName TEXT NOT NULL,
            room TEXT,
            category INTEGER NOT NULL,
            manufacturer TEXT NOT NULL,
            model TEXT NOT NULL,
            serialNumber TEXT NOT NULL,
            firmwareVersion TEXT NOT NULL,
            isBlocked INTEGER NOT NULL CHECK (isBlocked IN (0, 1)),
            supportsIdentify INTEGER NOT NULL CHECK (supportsIdentify IN (0, 1)),
            isBridge INTEGER NOT NULL CHECK (isBridge IN (0, 1)),
            bridge TEXT,
            deviceID TEXT NOT NULL,
            aid INTEGER NOT NULL,
            UNIQUE (home, name), UNIQUE (id, home), UNIQUE (deviceID, aid),
            CHECK (bridge IS NULL OR NOT isBridge),
            FOREIGN KEY (room, home) REFERENCES room (id, home) DEFERRABLE INITIALLY DEFERRED,
            FOREIGN KEY (bridge, home) REFERENCES accessory (id, home) DEFERRABLE INITIALLY DEFERRED)
        """,
        "CREATE INDEX accessoryRoom ON accessory (room)",
        "CREATE INDEX accessoryBridge ON accessory (bridge)",
        """
        CREATE TABLE service (
            id TEXT NOT NULL PRIMARY KEY,
            accessory TEXT NOT NULL REFERENCES accessory (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            position INTEGER NOT NULL,
            iid INTEGER NOT NULL,
            type TEXT NOT NULL,
            name TEXT NOT NULL,
            isPrimary INTEGER NOT NULL CHECK (isPrimary IN (0, 1)),
            isHidden INTEGER NOT NULL CHECK (isHidden IN (0, 1)),
            isFavorite INTEGER NOT NULL CHECK (isFavorite IN (0, 1)),
            associatedType TEXT)
        """,
        "CREATE INDEX serviceAccessory ON service (accessory)",
        """
        CREATE TABLE serviceLink (
            service TEXT NOT NULL REFERENCES service (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            position INTEGER NOT NULL,
            linked TEXT NOT NULL REFERENCES service (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            PRIMARY KEY (service, position))
        """,
        "CREATE INDEX serviceLinkLinked ON serviceLink (linked)",
        """
        CREATE TABLE characteristic (
            id TEXT NOT NULL PRIMARY KEY,
            service TEXT NOT NULL REFERENCES service (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            position INTEGER NOT NULL,
            iid INTEGER NOT NULL,
            type TEXT NOT NULL,
            metadata TEXT NOT NULL,
            description TEXT,
            value TEXT,
            valueTime INTEGER)
        """,
        "CREATE INDEX characteristicService ON characteristic (service)",
    ]

    private static let scenes = [
        """
        CREATE TABLE actionSet (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            home TEXT NOT NULL REFERENCES home (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            UNIQUE (home, name))
        """,
        "CREATE UNIQUE INDEX actionSetKind ON actionSet (home, kind) WHERE kind <> 'userDefined'",
        """
        CREATE TABLE action (
            actionSet TEXT NOT NULL REFERENCES actionSet (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            position INTEGER NOT NULL,
            characteristic TEXT NOT NULL
                REFERENCES characteristic (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            value TEXT NOT NULL,
            PRIMARY KEY (actionSet, position), UNIQUE (actionSet, characteristic))
        """,
        "CREATE INDEX actionCharacteristic ON action (characteristic)",
    ]

    private static let groups = [
        """
        CREATE TABLE serviceGroup (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            home TEXT NOT NULL REFERENCES home (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            name TEXT NOT NULL,
            UNIQUE (home, name))
        """,
        """
        CREATE TABLE serviceGroupService (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            serviceGroup TEXT NOT NULL REFERENCES serviceGroup (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            service TEXT NOT NULL REFERENCES service (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            UNIQUE (serviceGroup, service))
        """,
        "CREATE INDEX serviceGroupServiceService ON serviceGroupService (service)",
    ]

    private static let others = [
        """
        CREATE TABLE permission (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            uid INTEGER NOT NULL,
            executable TEXT NOT NULL,
            isAllowed INTEGER NOT NULL CHECK (isAllowed IN (0, 1)),
            usageDescription TEXT NOT NULL,
            UNIQUE (app, uid, executable))
        """,
        """
        CREATE TABLE controller (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            identifier BLOB NOT NULL,
            longTermSeed BLOB NOT NULL)
        """,
        """
        CREATE TABLE pairing (
            deviceID TEXT NOT NULL PRIMARY KEY,
            publicKey BLOB NOT NULL)
        """,
    ]
}
