/// Details about the bridge and its host.
///
/// `doctor` compares these details with observations from outside. They never contain the setup code.
package struct BridgeDiagnostics: BridgeMessage {
    package var version: String
    /// The daemon's process ID.
    package var process: Int
    /// A Boolean value that indicates whether the configuration enables the advertisement of the bridge.
    package var isToBeAdvertised: Bool
    /// The preferred mDNS instance name of the bridge.
    ///
    /// If another host uses it, the bridge is advertised with a different name.
    package var wantedName: String
    /// The reason why the bridge isn't advertised although it should be.
    package var discoveryError: String?
    /// The network interfaces on which the bridge is advertised.
    package var interfaces: [String]
    /// The TXT record to advertise, by key.
    package var txt: [String: String]
    /// The number of paired controllers.
    package var pairings: Int
    /// The number of pairing attempts since the start of the daemon that were rejected because the bridge was paired.
    package var refusedSetups: Int
    /// The number of pairing attempts with a wrong setup code since the last successful attempt.
    package var failedAttempts: Int
    /// The number of failed attempts after which controllers can't pair anymore.
    package var attemptsAllowed: Int
    /// The number of seconds by which the clock was changed since the daemon started.
    ///
    /// It is negative if the clock was set back.
    package var clockStep: Int
    package var storage: StorageReport

    package init(
        version: String, process: Int, isToBeAdvertised: Bool, wantedName: String, discoveryError: String? = nil,
        interfaces: [String], txt: [String: String], pairings: Int, refusedSetups: Int, failedAttempts: Int,
        attemptsAllowed: Int, clockStep: Int, storage: StorageReport
    ) {
        self.version = version
        self.process = process
        self.isToBeAdvertised = isToBeAdvertised
        self.wantedName = wantedName
        self.discoveryError = discoveryError
        self.interfaces = interfaces
        self.txt = txt
        self.pairings = pairings
        self.refusedSetups = refusedSetups
        self.failedAttempts = failedAttempts
        self.attemptsAllowed = attemptsAllowed
        self.clockStep = clockStep
        self.storage = storage
    }

    package enum CodingKeys: String, CodingKey {
        case version, process
        case isToBeAdvertised = "advertise"
        case wantedName, interfaces, txt, pairings, refusedSetups, failedAttempts, attemptsAllowed, clockStep, storage
        case discoveryError = "obstacle"
    }
}
