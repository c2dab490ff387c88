package import OperatorControl

/// Details about the hub and its host, which `doctor` compares with observations from outside.
package struct HubDiagnostics: OperatorMessage {
    /// An accessory server, which is a single accessory or a bridge with its accessories.
    package struct Server: OperatorMessage {
        package var deviceID: String
        package var name: String
        package var home: String
        /// A Boolean value that indicates whether the hub has a verified connection.
        package var isConnected: Bool
        /// A Boolean value that indicates whether the hub has found the server by mDNS.
        package var isFound: Bool
        /// The problem and the remedy, if the accessory rejects the hub or violates the protocol.
        package var fault: String?
        /// The names of unreachable accessories of a connected bridge.
        package var unreachable: [String]

        package init(
            deviceID: String, name: String, home: String, isConnected: Bool, isFound: Bool, fault: String? = nil,
            unreachable: [String] = []
        ) {
            self.deviceID = deviceID
            self.name = name
            self.home = home
            self.isConnected = isConnected
            self.isFound = isFound
            self.fault = fault
            self.unreachable = unreachable
        }
    }

    /// The access of an app to the homes.
    package enum Access: String, Codable, Sendable {
        case allowed, denied
        /// The app waits for a decision.
        case undecided
        /// The app isn't installed and has never asked.
        case unknown
    }

    package var version: String
    /// The daemon's process ID.
    package var process: Int
    /// The path of the configuration file.
    package var configuration: String
    /// The error in the configuration file, if any.
    package var configurationError: String?
    /// The network interfaces on which the hub discovers accessories.
    package var interfaces: [String]
    /// The reason why accessories can't be discovered, if any.
    package var discoveryError: String?
    /// The number of seconds by which the clock was changed since the hub started; negative if it was set back.
    package var clockStep: Int
    package var storage: StorageReport
    /// The reason why the hub runs without a history, if any.
    package var historyError: String?
    /// The name of the system's time zone, if it's known.
    package var timeZone: String?
    /// The time zones of homes and of the system without rules on this computer.
    package var missingTimeZones: [String]
    /// The access of the web page.
    package var page: Access
    package var servers: [Server]

    package init(
        version: String, process: Int, configuration: String, configurationError: String? = nil, interfaces: [String],
        discoveryError: String? = nil, clockStep: Int, storage: StorageReport, historyError: String? = nil,
        timeZone: String?, missingTimeZones: [String], page: Access, servers: [Server]
    ) {
        self.version = version
        self.process = process
        self.configuration = configuration
        self.configurationError = configurationError
        self.interfaces = interfaces
        self.discoveryError = discoveryError
        self.clockStep = clockStep
        self.storage = storage
        self.historyError = historyError
        self.timeZone = timeZone
        self.missingTimeZones = missingTimeZones
        self.page = page
        self.servers = servers
    }
}
