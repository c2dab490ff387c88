/// The bridge's own state and that of its host, for `doctor` to compare with what is seen from outside.
///
/// It never holds the setup code.
package struct BridgeDiagnostics: BridgeMessage {
    /// Where the bridge keeps its memory.
    package struct Storage: BridgeMessage {
        package var directory: String
        /// How many bytes the daemon may still write there.
        package var freeBytes: Int
        /// What is wrong with the directory or the database in it, if something is.
        package var problem: String?

        package init(directory: String, problem: String? = nil, freeBytes: Int) {
            self.directory = directory
            self.problem = problem
            self.freeBytes = freeBytes
        }
    }

    package var version: String
    /// The daemon's process id.
    package var process: Int
    /// Whether the configuration wants the bridge advertised at all.
    package var isToBeAdvertised: Bool
    /// The instance name the bridge has while no other host has taken it.
    package var wantedName: String
    /// Why the bridge is not advertised, if it should be and is not.
    package var discoveryError: String?
    /// The network interfaces the bridge is to be seen on.
    package var interfaces: [String]
    /// The TXT record that the network is to see, key by key.
    package var txt: [String: String]
    /// How many controllers the bridge is paired with.
    package var pairings: Int
    /// How often somebody has tried to add the bridge although it was paired, since the daemon started.
    package var refusedSetups: Int
    /// Failed proofs of the setup code since the last success.
    package var failedAttempts: Int
    /// After so many failed attempts no controller can pair any more.
    package var attemptsAllowed: Int
    /// How far the clock was set, forward or back, since the daemon started; seconds.
    package var clockStep: Int
    package var storage: Storage

    package init(
        version: String, process: Int, isToBeAdvertised: Bool, wantedName: String, discoveryError: String? = nil,
        interfaces: [String], txt: [String: String], pairings: Int, refusedSetups: Int, failedAttempts: Int,
        attemptsAllowed: Int, clockStep: Int, storage: Storage
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
