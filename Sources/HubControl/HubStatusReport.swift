import OperatorControl

/// The status of the hub, as `homehub status` shows it.
package struct HubStatusReport: OperatorMessage {
    /// An accessory without a connection.
    package struct Accessory: OperatorMessage {
        package var name: String
        package var home: String
        /// The time at which the connection was lost, in ISO 8601; `nil` if there was none since the hub started.
        package var since: String?
        /// The problem and its remedy, if they are known.
        package var problem: String?

        package init(name: String, home: String, since: String? = nil, problem: String? = nil) {
            self.name = name
            self.home = home
            self.since = since
            self.problem = problem
        }
    }

    package var version: String
    /// The time at which the hub started, in ISO 8601.
    package var since: String
    /// The number of homes.
    package var homes: Int
    /// The number of connected accessories.
    package var connected: Int
    package var notConnected: [Accessory]
    /// The number of connected apps.
    package var apps: Int
    /// The size of the database with the homes, in bytes.
    package var databaseBytes: Int
    /// The size of the history, in bytes; `nil` if the hub runs without one.
    package var historyBytes: Int?
    /// The time of the daily copy, in ISO 8601; `nil` if there is none.
    package var lastCopy: String?
    /// The human-readable problems that need attention.
    package var warnings: [String]

    package init(
        version: String, since: String, homes: Int, connected: Int, notConnected: [Accessory], apps: Int,
        databaseBytes: Int, historyBytes: Int?, lastCopy: String?, warnings: [String]
    ) {
        self.version = version
        self.since = since
        self.homes = homes
        self.connected = connected
        self.notConnected = notConnected
        self.apps = apps
        self.databaseBytes = databaseBytes
        self.historyBytes = historyBytes
        self.lastCopy = lastCopy
        self.warnings = warnings
    }
}
