import BoundedJSON
import BridgeControl
import DeviceBridge
import DeviceKit
import FoundationEssentials
import Glibc
import LightDrivers
import Synchronization
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("ConfigurationEditor", .timeout)
struct ConfigurationEditorTests {
    /// An editor of a file, which counts reloads.
    final class Bench: Sendable {
        let folder = StateFolder()
        let editor: ConfigurationEditor
        private let count = Mutex(0)
        private let reloads: @Sendable () -> Int

        init(_ text: String) throws {
            try folder.configure(text)
            try FileManager.default.createDirectory(
                atPath: folder.places.stateDirectory, withIntermediateDirectories: true)
            let counter = Counter()
            reloads = { counter.value }
            editor = ConfigurationEditor(
                path: folder.places.configuration, instance: folder.places.stateDirectory
            ) {
                counter.add()
                return ReloadListing()
            }
        }

        var path: String { folder.places.configuration }
        var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        var reloadCount: Int { reloads() }

        func propose(_ change: ConfigurationChange, devices: [LightKey] = []) async throws -> ConfigurationProposal {
            try await editor.propose(change, devices: devices)
        }

        func make(_ change: ConfigurationChange, devices: [LightKey] = []) async throws {
            _ = try await editor.apply(propose(change, devices: devices).token)
        }
    }

    final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    static let simulated = "# mine\ndrivers:\n  - driver: simulated\n    lights: [{id: a}]   # one\n"

    static func lights(_ keys: String...) -> [LightKey] { keys.compactMap { LightKey($0) } }

    @Test("adds a driver, stores its password in a file, and undoes both")
    func driver() async throws {
        let bench = try Bench(Self.simulated)
        let proposal = try await bench.propose(
            .addDriver(driver: "mqtt", id: nil, values: ["url": "10.0.0.5", "user": "ada", "password-file": "hunter2"]))
        let file = bench.folder.path + "/mqtt.password"
        #expect(proposal.secretFiles == [file] && proposal.warnings == [])
        #expect(
            proposal.diff == """
                @@ -2,3 +2,7 @@
                 drivers:
                   - driver: simulated
                     lights: [{id: a}]   # one
                +  - driver: mqtt
                +    url: mqtt://10.0.0.5
                +    user: ada
                +    password-file: \(file)

                """)
        #expect(bench.text == Self.simulated && access(file, F_OK) != 0)
        #expect(try await bench.editor.listing().undo == nil)

        _ = try await bench.editor.apply(proposal.token)
        #expect(bench.text.hasPrefix(Self.simulated) && bench.text.hasSuffix("password-file: \(file)\n"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "hunter2\n")
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(bench.reloadCount == 1)
        await #expect(throws: BridgeControlError.self) { try await bench.editor.apply(proposal.token) }

        // An editor that starts later can undo, too.
        let later = ConfigurationEditor(path: bench.path, instance: bench.folder.places.stateDirectory) {
            ReloadListing()
        }
        #expect(try await later.listing().undo == "add the driver mqtt")
        _ = try await later.undo()
        #expect(bench.text == Self.simulated && access(file, F_OK) != 0)
        await #expect(throws: BridgeControlError.self) { try await later.undo() }
    }

    @Test(
        "rejects values that the driver rejects, without repeating secrets",
        arguments: [
            (["url": "mqtt://ada:hunter2@host"], "Broker: the URL can't contain a password"),
            ([:], "Broker is missing"),
            (["url": "h", "password-file": "hunter2"], "Password: password-file requires a user"),
            (
                ["url": "h", "user": "a", "password-file": "hunter2\nx"],
                "Password is too long or has control characters"
            ),
            (["url": "h", "ca-file": "/etc/shadow"], "mqtt has no value ca-file"),
        ])
    func invalid(values: [String: String], message: String) async throws {
        let bench = try Bench(Self.simulated)
        let error = await #expect(throws: BridgeControlError.self) {
            try await bench.propose(.addDriver(driver: "mqtt", id: nil, values: values))
        }
        #expect(error?.message == message)
        #expect(error.map { "\($0)".contains("hunter2") } == false)
    }

    @Test("doesn't add programs, unknown drivers, or devices that the search didn't find")
    func refused() async throws {
        let bench = try Bench(Self.simulated)
        for driver in ["plugin", "simulated", "mqqt"] {
            await #expect(throws: BridgeControlError.self) {
                try await bench.propose(.addDriver(driver: driver, id: nil, values: [:]))
            }
        }
        let entry = FoundLights.Entry(id: nil, keys: ["driver": "plugin", "command": ["/bin/sh"]])
        await #expect(throws: BridgeControlError.self) { try await bench.propose(.addFound(entry: entry, values: [:])) }
    }

    @Test("adds what a search finds, and the key of a device")
    func found() async throws {
        let bench = try Bench("drivers:\n  - driver: wled\n    discover: false\n    hosts: [10.0.0.7] # strip\n")
        let key = "/etc/lamplighter/den.key"
        let sources = [
            LightSource(
                driver: "esphome", name: "den", hosts: ["10.0.0.5"], port: 6053,
                entry: ["driver": "esphome", "devices": ["den": ["key-file": .string(key)]]]),
            LightSource(driver: "wled", name: "x", hosts: ["10.0.0.9"], port: 80, entry: ["driver": "wled"]),
        ]
        let configuration = try BridgeConfiguration.load(from: bench.path, drivers: DriverCatalog.drivers)
        let found = FoundLights(.init(sources: sources), configured: configuration.drivers)
        #expect(found.entries.map { $0.secrets?.map(\.label) } == [["Encryption key of den"], nil])
        await bench.editor.keep(found)
        try await bench.make(.addFound(entry: found.entries[0], values: [key: "c2VjcmV0"]))
        try await bench.make(.addFound(entry: found.entries[1], values: [:]))
        #expect(
            bench.text == """
                drivers:
                  - driver: wled
                    discover: false
                    hosts: [10.0.0.7, "10.0.0.9:80"] # strip
                  - driver: esphome
                    devices: {den: {key-file: \(bench.folder.path)/den.key}}

                """)
    }

    @Test("adds the address of a device to the driver that is already configured")
    func extended() async throws {
        let bench = try Bench("drivers:\n- driver: shelly\n")
        try await bench.make(.addDriver(driver: "shelly", id: nil, values: ["hosts": "10.0.0.7, 10.0.0.8"]))
        try await bench.make(
            .addDriver(
                driver: "shelly", id: nil, values: ["hosts": "10.0.0.9", "switches": "true", "password-file": "x"]))
        let file = bench.folder.path + "/shelly.password"
        #expect(
            bench.text
                == "drivers:\n- driver: shelly\n  hosts: [10.0.0.7, 10.0.0.8, 10.0.0.9]\n  password-file: \(file)\n  switches: true\n"
        )
        await #expect(throws: BridgeControlError.self) {
            try await bench.propose(.addDriver(driver: "shelly", id: nil, values: [:]))
        }
        try await bench.make(.addDriver(driver: "mqtt", id: nil, values: ["url": "a"]))
        try await bench.make(.addDriver(driver: "mqtt", id: nil, values: ["url": "b"]))
        #expect(bench.text.hasSuffix("- driver: mqtt\n  id: mqtt-2\n  url: mqtt://b\n"))
    }

    @Test("removes a driver with the settings of its devices")
    func removed() async throws {
        let bench = try Bench(
            "drivers:\n  - driver: wiz\n  - driver: lifx # x\nlights:\n  lifx/1: {name: A}\n  wiz/1: {name: B}\n")
        let devices = Self.lights("lifx/1", "lifx/2", "wiz/1")
        let proposal = try await bench.propose(.removeDriver(id: "lifx"), devices: devices)
        #expect(proposal.warnings.map { $0.hasPrefix("2 devices of lifx will be unreachable") } == [true])
        _ = try await bench.editor.apply(proposal.token)
        #expect(bench.text == "drivers:\n  - driver: wiz\nlights:\n  wiz/1: {name: B}\n")
        try await bench.make(.removeDriver(id: "wiz"), devices: devices)
        #expect(bench.text == "drivers: []\nlights: {}\n")
    }

    @Test("changes a driver, and keeps comments, secrets and unchanged elements of lists")
    func changedDriver() async throws {
        let bench = try Bench(
            """
            drivers:
              - driver: mqtt # broker
                url: mqtt://10.0.0.5 # cellar
                user: ada
                password-file: /etc/secret.password
              - driver: wled
                hosts: [10.0.0.7, 10.0.0.8] # strips
              - driver: mqtt
                id: second
                url: mqtts://10.0.0.6
                ca-file: /etc/ca.pem

            """)
        let listed = try await bench.editor.listing().systems ?? []
        #expect(listed.map(\.id) == ["mqtt", "wled", "second"])
        #expect(
            listed.map(\.values) == [
                ["url": "mqtt://10.0.0.5", "user": "ada"], ["hosts": "10.0.0.7, 10.0.0.8"], nil,
            ])
        try await bench.make(.changeDriver(id: "mqtt", values: ["url": "10.0.0.9", "user": "ada"]))
        try await bench.make(.changeDriver(id: "wled", values: ["hosts": "10.0.0.8 10.0.0.9", "segments": "true"]))
        #expect(
            bench.text.hasPrefix(
                """
                drivers:
                  - driver: mqtt # broker
                    url: mqtt://10.0.0.9 # cellar
                    user: ada
                    password-file: /etc/secret.password
                  - driver: wled
                    hosts: [10.0.0.8, 10.0.0.9] # strips
                    segments: true

                """))
        let proposal = try await bench.propose(
            .changeDriver(id: "mqtt", values: ["url": "10.0.0.9", "user": "ada", "password-file": "hunter2"]))
        #expect(proposal.secretFiles == [bench.folder.path + "/mqtt.password"])
        #expect(
            proposal.warnings.first
                == "The former secret stays in /etc/secret.password, so that you can undo this change.")
        for (id, values) in [
            ("second", ["url": "a"]), ("third", [:]), ("mqtt", [:]), ("mqtt", ["url": "a", "ca-file": "/etc/shadow"]),
            ("mqtt", ["url": "10.0.0.9", "user": "ada"]),
        ] {
            await #expect(throws: BridgeControlError.self) {
                try await bench.propose(.changeDriver(id: id, values: values))
            }
        }
    }

    @Test("lets the web page remove every driver that a form can add, but no plugin")
    func removedByPage() async throws {
        let bench = try Bench(
            "drivers:\n  - driver: wiz\n  - driver: plugin\n    id: own\n    command: [/bin/true]\n")
        let error = await #expect(throws: BridgeControlError.self) {
            try await bench.editor.propose(.removeDriver(id: "own"), devices: [], isByPage: true)
        }
        #expect(error?.code == 77)
        #expect(try await bench.editor.listing().systems?.map(\.id) == ["wiz"])
        let proposal = try await bench.editor.propose(.removeDriver(id: "wiz"), devices: [], isByPage: true)
        #expect(proposal.diff.contains("-  - driver: wiz") && !proposal.diff.contains("/bin/true"))
    }

    @Test("keeps a password for the web page only if the address stays")
    func keptSecret() async throws {
        let bench = try Bench(
            "drivers:\n  - driver: mqtt\n    url: mqtt://10.0.0.5\n    user: ada\n    password-file: /etc/secret.password\n"
        )
        func propose(_ values: [String: String]) async throws {
            _ = try await bench.editor.propose(.changeDriver(id: "mqtt", values: values), devices: [], isByPage: true)
        }
        await #expect(throws: BridgeControlError.self) { try await propose(["url": "mqtt://10.0.0.9", "user": "ada"]) }
        try await propose(["url": "mqtt://10.0.0.5", "user": "ben"])
        try await propose(["url": "mqtt://10.0.0.9", "user": "ada", "password-file": "hunter2"])
    }

    @Test("renames, hides and shows a device")
    func device() async throws {
        let bench = try Bench(Self.simulated)
        let devices = Self.lights("simulated/a", "old/x")
        try await bench.make(.renameDevice(key: "simulated/a", name: " Desk Lamp "), devices: devices)
        try await bench.make(.hideDevice(key: "simulated/a"), devices: devices)
        #expect(bench.text == Self.simulated + "lights:\n  simulated/a: {name: \"Desk Lamp\", hidden: true}\n")
        #expect(try await bench.editor.listing().hidden == [.init(key: "simulated/a", name: "Desk Lamp")])
        try await bench.make(.showDevice(key: "simulated/a"))
        try await bench.make(.renameDevice(key: "simulated/a", name: nil))
        #expect(bench.text == Self.simulated + "lights: {}\n")
        for change: ConfigurationChange in [
            .renameDevice(key: "simulated/b", name: "X"), .renameDevice(key: "simulated/a", name: " "),
            .renameDevice(key: "simulated/a", name: "\u{7}"), .hideDevice(key: "old/x"),
            .showDevice(key: "simulated/a"),
            .hideDevice(key: "x"), .showKinds(kinds: ["dragons"]),
        ] {
            await #expect(throws: BridgeControlError.self) { try await bench.propose(change, devices: devices) }
        }
    }

    @Test("shows further kinds of devices, in addition to those in the file")
    func kinds() async throws {
        let bench = try Bench(Self.simulated)
        try await bench.make(.showKinds(kinds: ["locks"]))
        #expect(bench.text.contains("\ninclude: [lights, ") && bench.text.contains("locks"))
        try bench.folder.configure("include: [lights] # few\n")
        try await bench.make(.showKinds(kinds: ["locks", "lights"]))
        #expect(bench.text == "include: [lights, locks] # few\n")
    }

    @Test("doesn't overwrite a file that has changed since the proposal, or restore over a later edit")
    func changed() async throws {
        let bench = try Bench(Self.simulated)
        let proposal = try await bench.propose(.addDriver(driver: "wiz", id: nil, values: [:]))
        try bench.folder.configure(Self.simulated + "# edited\n")
        let error = await #expect(throws: BridgeControlError.self) { try await bench.editor.apply(proposal.token) }
        #expect(error?.code == 75 && bench.text == Self.simulated + "# edited\n")

        try await bench.make(.addDriver(driver: "wiz", id: nil, values: [:]))
        let edited = bench.text + "# edited again\n"
        try bench.folder.configure(edited)
        await #expect(throws: BridgeControlError.self) { try await bench.editor.undo() }
        #expect(bench.text == edited && bench.reloadCount == 1)
        #expect(try String(contentsOfFile: bench.path + ".previous", encoding: .utf8) == Self.simulated + "# edited\n")
    }

    @Test(
        "can still undo a change if the next one was interrupted",
        arguments: [
            // The copy of the new change exists, and the file has the old text.
            (file: "b", previous: "a", next: "b", undone: "a"),
            // The file has the new text.
            (file: "c", previous: "a", next: "b", undone: "b"), (file: "c", previous: "b", next: nil, undone: "b"),
        ])
    func interrupted(state: (file: String, previous: String, next: String?, undone: String)) throws {
        let folder = StateFolder()
        try folder.configure("a")
        let places = folder.places
        try FileManager.default.createDirectory(atPath: places.stateDirectory, withIntermediateDirectories: true)
        let store = ConfigurationStore(path: places.configuration, stateDirectory: places.stateDirectory)
        func replace(_ old: String, with new: String) throws -> ConfigurationStore.Record {
            try store.replace(Array(old.utf8), with: Array(new.utf8), secrets: [], change: new, isByPage: false)
            return try #require(store.record)
        }
        let first = try replace("a", with: "b")
        var second = try replace("b", with: "c")
        second.before = [first]
        try JSONValue(encoding: second).encoded.withUnsafeBytes {
            try Data($0).write(to: URL(filePath: places.stateDirectory + "/configuration-change.json"))
        }
        let names = ["": state.file, ".previous": state.previous, ".previous.new": state.next]
        for (name, text) in names {
            try text?.write(toFile: places.configuration + name, atomically: false, encoding: .utf8)
        }
        #expect(store.record?.change == state.file)
        // A change that fails then doesn't replace a copy either.
        #expect(throws: BridgeControlError.self) {
            try store.replace(Array("other".utf8), with: [], secrets: [], change: "fail", isByPage: false)
        }
        _ = try store.undo()
        #expect(try String(contentsOfFile: places.configuration, encoding: .utf8) == state.undone)
    }

    @Test("keeps the change before a change that can't be made, and leaves no other files")
    func failed() async throws {
        let bench = try Bench(Self.simulated)
        try await bench.make(.addDriver(driver: "wiz", id: nil, values: [:]))
        let store = ConfigurationStore(path: bench.path, stateDirectory: bench.folder.places.stateDirectory)
        let error = #expect(throws: BridgeControlError.self) {
            try store.replace(
                Array("another text".utf8), with: [], secrets: [.init(path: bench.path + ".key", text: "x")],
                change: "fail", isByPage: false)
        }
        #expect(error?.code == 75 && store.record?.change == "add the driver wiz")
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
        #expect(Set(files) == ["lamplighter.yaml", "lamplighter.yaml.previous", "state"])
    }

    @Test("keeps a secret that was edited since the change, and says so")
    func editedSecret() async throws {
        let bench = try Bench(Self.simulated)
        try await bench.make(
            .addDriver(driver: "mqtt", id: nil, values: ["url": "10.0.0.5", "user": "ada", "password-file": "hunter2"]))
        let file = bench.folder.path + "/mqtt.password"
        try "better\n".write(toFile: file, atomically: false, encoding: .utf8)
        #expect(try await bench.editor.undo().keptFiles == [file])
        #expect(bench.text == Self.simulated && access(file, F_OK) == 0)
    }

    @Test("lets the web page undo only its own change")
    func undoByPage() async throws {
        let bench = try Bench(Self.simulated)
        try await bench.make(.addDriver(driver: "wiz", id: nil, values: [:]))
        let after = bench.text
        #expect(try await bench.editor.listing().isUndoOfPage == false)
        let error = await #expect(throws: BridgeControlError.self) { try await bench.editor.undo(isByPage: true) }
        #expect(error?.code == 77 && bench.text == after)
        let proposal = try await bench.propose(.addDriver(driver: "lifx", id: nil, values: [:]))
        _ = try await bench.editor.apply(proposal.token, isByPage: true)
        #expect(try await bench.editor.listing().isUndoOfPage == true)
        _ = try await bench.editor.undo(isByPage: true)
        #expect(bench.text == after)
    }

    @Test("keeps the file's mode and its symbolic link, and leaves no other files")
    func places() async throws {
        let bench = try Bench(Self.simulated)
        let real = bench.folder.path + "/real.yaml"
        try FileManager.default.moveItem(atPath: bench.path, toPath: real)
        #expect(symlink("real.yaml", bench.path) == 0 && chmod(real, 0o640) == 0)
        try await bench.make(.addDriver(driver: "wiz", id: nil, values: [:]))
        var status = stat()
        #expect(lstat(bench.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(real, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(bench.text == Self.simulated + "  - driver: wiz\n")
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
        #expect(Set(files) == ["lamplighter.yaml", "real.yaml", "real.yaml.previous", "state"])
    }

    @Test("explains why a file can't be edited: hard links, anchors, mistakes")
    func unusable() async throws {
        let bench = try Bench(Self.simulated)
        #expect(link(bench.path, bench.folder.path + "/other") == 0)
        let linked = await #expect(throws: BridgeControlError.self) {
            try await bench.make(
                .addDriver(driver: "mqtt", id: nil, values: ["url": "h", "user": "a", "password-file": "x"]))
        }
        #expect(linked?.code == 73 && access(bench.folder.path + "/mqtt.password", F_OK) != 0)
        try bench.folder.configure("drivers: &d []\n")
        let shared = await #expect(throws: BridgeControlError.self) {
            try await bench.propose(.addDriver(driver: "wiz", id: nil, values: [:]))
        }
        #expect(shared?.message.contains("lamplighter.yaml:1: can't be changed here") == true)
        try bench.folder.configure("drivers: [{driver: lifxx}]\n")
        await #expect(throws: (any Error).self) { try await bench.editor.listing() }
    }

    @Test(
        "offers each driver with a form whose values make a valid entry",
        arguments: DriverCatalog.offered.map { $0.driverName })
    func offers(driver: String) async throws {
        let bench = try Bench("include: [all]\n")
        let offer = try #require(try await bench.editor.listing().offers.first { $0.driver == driver })
        var values: [String: String] = [:]
        for field in offer.fields {
            values[field.name] =
                switch field.kind {
                case .secret: "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U="
                case .flag: "true"
                default: field.example ?? "ada"
                }
        }
        try await bench.make(.addDriver(driver: driver, id: nil, values: values))
        #expect(!bench.text.contains("c2Vj") && bench.reloadCount == 1)
    }
}
