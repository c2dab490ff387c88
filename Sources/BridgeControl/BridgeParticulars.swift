package import BoundedJSON

/// What the bridge believes of itself and its surroundings, for `doctor` to compare with what is seen from outside.
///
/// It never holds the setup code.
package struct BridgeParticulars: JSONConvertible {
    /// Where the bridge keeps its memory.
    package struct Storage: JSONConvertible {
        /// The state directory.
        package var directory: String
        /// What is wrong with the directory or the database in it, if something is.
        package var problem: String?
        /// How many bytes the daemon may still write there.
        package var freeBytes: Int

        package init(directory: String, problem: String? = nil, freeBytes: Int) {
            self.directory = directory
            self.problem = problem
            self.freeBytes = freeBytes
        }

        package init(json: JSONValue) throws(BridgeControlError) {
            self.init(
                directory: try json.value("directory", \.string), problem: try json.optional("problem", \.string),
                freeBytes: try json.value("freeBytes", \.int))
        }

        package var json: JSONValue {
            var object: JSONObject = ["directory": .string(directory), "freeBytes": .integer(freeBytes)]
            object["problem"] = problem.map(JSONValue.string)
            return .object(object)
        }
    }

    /// The daemon's version.
    package var version: String
    /// The daemon's process id.
    package var process: Int
    /// Whether the configuration wants the bridge advertised at all.
    package var isToBeAdvertised: Bool
    /// The instance name the bridge has while no other host has taken it.
    package var wantedName: String
    /// Why the bridge is not advertised, if it should be and is not.
    package var obstacle: String?
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
    /// After so many failed proofs nobody can pair any more.
    package var attemptsAllowed: Int
    /// How far the clock was set, forward or back, since the daemon started; seconds.
    package var clockStep: Int
    package var storage: Storage

    package init(
        version: String, process: Int, isToBeAdvertised: Bool, wantedName: String, obstacle: String? = nil,
        interfaces: [String], txt: [String: String], pairings: Int, refusedSetups: Int, failedAttempts: Int,
        attemptsAllowed: Int,
        clockStep: Int, storage: Storage
    ) {
        self.version = version
        self.process = process
        self.isToBeAdvertised = isToBeAdvertised
        self.wantedName = wantedName
        self.obstacle = obstacle
        self.interfaces = interfaces
        self.txt = txt
        self.pairings = pairings
        self.refusedSetups = refusedSetups
        self.failedAttempts = failedAttempts
        self.attemptsAllowed = attemptsAllowed
        self.clockStep = clockStep
        self.storage = storage
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            version: try json.value("version", \.string), process: try json.value("process", \.int),
            isToBeAdvertised: try json.value("advertise", \.bool), wantedName: try json.value("wantedName", \.string),
            obstacle: try json.optional("obstacle", \.string),
            interfaces: try json.value("interfaces") { $0.array?.compactMap(\.string) },
            txt: try json.value("txt") { txt in
                txt.object.map { Dictionary($0.members.map { ($0.name, $0.value.string ?? "") }) { $1 } }
            },
            pairings: try json.value("pairings", \.int), refusedSetups: try json.value("refusedSetups", \.int),
            failedAttempts: try json.value("failedAttempts", \.int),
            attemptsAllowed: try json.value("attemptsAllowed", \.int), clockStep: try json.value("clockStep", \.int),
            storage: try Storage(json: json.value("storage") { $0 }))
    }

    package var json: JSONValue {
        var text = JSONObject()
        for (key, value) in txt.sorted(by: { $0.key < $1.key }) { text[key] = .string(value) }
        var object: JSONObject = [
            "version": .string(version), "process": .integer(process), "advertise": .bool(isToBeAdvertised),
            "wantedName": .string(wantedName), "interfaces": .array(interfaces.map(JSONValue.string)),
            "txt": .object(text), "pairings": .integer(pairings),
            "refusedSetups": .integer(refusedSetups), "failedAttempts": .integer(failedAttempts),
            "attemptsAllowed": .integer(attemptsAllowed), "clockStep": .integer(clockStep), "storage": storage.json,
        ]
        object["obstacle"] = obstacle.map(JSONValue.string)
        return .object(object)
    }
}
