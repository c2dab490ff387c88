import BoundedJSON
import BridgeControl
import CommandKit
import Doctor
import Glibc
import Logging
import Synchronization
import TerminalKit
import TestTimeouts
import Testing
import YAMLKit

@testable import lamplighter

@Suite("lamplighter", .timeout)
struct LamplighterTests {
    /// The result of a command.
    struct Outcome: Equatable {
        var code: Int32
        var output = ""
        var errors = ""
    }

    private final class Text: Sendable {
        private let state = Mutex("")
        var text: String { state.withLock { $0 } }
        func add(_ more: String) { state.withLock { $0 += more } }
    }

    private func run(
        _ words: String..., environment: [String: String] = [:], answer: String? = nil
    ) async -> Outcome {
        await outcome(of: words, environment: environment, answer: answer)
    }

    private func outcome(
        of words: [String], environment: [String: String] = [:], answer: String? = nil
    ) async -> Outcome {
        let (output, errors) = (Text(), Text())
        let terminal = Terminal(
            write: output.add, writeError: errors.add, environment: { environment[$0] }, isTerminal: { false },
            readLine: { answer })
        let code = await Terminal.$current.withValue(terminal) { await Lamplighter.run(words) }
        return Outcome(code: code, output: output.text, errors: errors.text)
    }

    private func withBridge(
        _ bridge: Bridge = Bridge(), _ body: (String) async throws -> Void
    ) async throws {
        let folder = "/tmp/lamplighter-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try #require(mkdir(folder, 0o700) == 0)
        defer {
            for name in ["a.svg", "a.png"] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        let path = folder + "/s"
        let server = BridgeControlServer(
            path: path, group: nil, handler: bridge, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (listening, sink) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { sink.finish() }
            try await server.run { sink.yield() }
        }
        _ = await listening.first { true }
        defer { task.cancel() }
        try await body(path)
        task.cancel()
        _ = await task.result
    }

    @Test("prints JSON with --json before or after the command")
    func json() async throws {
        try await withBridge { path in
            let lights =
                #"[{"key":"simulated/reading","name":"Reading Lamp","kind":"light","aid":2,"driver":"simulated","#
                + #""reachable":true,"warnings":["one\ntwo"],"on":true,"brightness":40}]"# + "\n"
            #expect(await run("--control", path, "--json", "lights") == Outcome(code: 0, output: lights))
            #expect(await run("lights", "--json", "--control", path) == Outcome(code: 0, output: lights))
            #expect(await run("--json", "lights", "list", "--control=\(path)") == Outcome(code: 0, output: lights))
            #expect(
                await run("--json", "pairings", environment: ["LAMPLIGHTER_CONTROL": path])
                    == Outcome(code: 0, output: #"[{"id":"AB\u001b","admin":true,"connected":false}]"# + "\n"))
            #expect(
                await run("--control", path, "setup", "--json")
                    == Outcome(
                        code: 0,
                        output: #"{"code":"031-45-154","payload":"X-HM://0023ISYWY1QJ8","paired":false}"# + "\n"))
            #expect(await run("--json", "version").output == "{\"version\":\"\(Version.current)\"}\n")
        }
    }

    @Test("prints tables without control characters")
    func tables() async throws {
        try await withBridge { path in
            #expect(
                await run("--control", path, "lights").output == """
                    KEY                NAME          KIND   AID  STATE
                    simulated/reading  Reading Lamp  light  2    on, brightness 40 %

                    ABOUT              WARNING
                    simulated/reading  one\\ntwo
                    home               no broker

                    """)
            #expect(
                await run("--control", path, "pairings").output == """
                    ID        ADMIN  CONNECTED
                    AB\\u{1B}  yes    no

                    """)
            #expect(
                await run("--control", path, "status").output == """
                    name           Lamplighter
                    device id      AA:BB:CC:DD:EE:FF
                    up since       0
                    port           51826
                    configuration  3
                    paired         yes, 1 controller connected
                    advertised     published, as "Lamplighter EEFF"
                    devices        1 light, 1 switch; 1 reachable
                    not shown      1 fan, 12 sensors; to show them: include: [lights, fans, sensors]
                    driver         simulated: running
                    driver         home (mqtt): degraded: no broker, 2 messages dropped
                    warning        simulated/reading: one\\ntwo
                    warning        full
                    warning        home: no broker

                    """)
        }
    }

    @Test("sets and simulates a device, by its key or its name, with words or values")
    func changes() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            for words in [
                ["lights", "set", "simulated/reading", "on=true", "hue=30.5"],
                ["devices", "set", "reading", "lamp", "off", "+10%"], ["devices", "set", "read", "red"],
                ["simulate", "simulated/reading", "reachable=false"], ["simulate", "ReadingLamp", "brightness=7%"],
                ["devices", "identify", "Reading Lamp"],
            ] {
                #expect(await outcome(of: words + ["--control", path]) == Outcome(code: 0))
            }
            #expect(
                await run("--control", path, "lights", "set", "simulated/raeding", "on=1")
                    == Outcome(
                        code: 69,
                        errors: "lamplighter: there is no device simulated/raeding; did you mean simulated/reading?\n"))
            for (words, message) in [
                (["devices", "set", "reading", "lmap", "on"], "don't understand \"lmap\""),
                (["devices", "set", "reading", "on=maybe"], "on can't be \"maybe\"; use true or false"),
                (["simulate", "reading"], "nothing to change"),
            ] {
                let outcome = await outcome(of: words + ["--control", path])
                #expect(outcome.code == 64 && outcome.errors.hasPrefix("lamplighter: \(message)"))
            }
        }
        #expect(
            bridge.calls == [
                #"set simulated/reading {"on":true,"hue":30.5}"#,
                #"set simulated/reading {"on":false,"brightness":50}"#,
                #"set simulated/reading {"hue":0,"saturation":100}"#,
                #"simulate simulated/reading {"reachable":false}"#,
                #"simulate simulated/reading {"brightness":7}"#, "identify simulated/reading",
            ])
    }

    @Test("finds a device by its key, its name or the beginning of its name")
    func find() throws {
        let devices = [("a/1", "Desk Lamp"), ("a/2", "Desk"), ("a/3", "Hall"), ("b/3", "Hall"), ("b/4", "On")].map {
            LightListing(
                key: $0.0, name: $0.1, kind: "light", aid: 2, driver: "a", reachable: true, state: LightChange())
        }
        for (words, key, rest) in [
            (["a/2", "on"], "a/2", ["on"]), (["desk", "on"], "a/2", ["on"]), (["desk", "lamp", "on"], "a/1", ["on"]),
            (["DeskLamp"], "a/1", []), (["deskl", "50%"], "a/1", ["50%"]), (["b/3"], "b/3", []),
            (["on", "on"], "b/4", ["on"]),
        ] as [([String], String, [String])] {
            let (device, changes) = try devices.device(namedFirst: words)
            #expect(device.key == key && changes == rest, "\(words)")
        }
        for (words, message) in [
            (["hall", "on"], "several devices are called hall; use one of the keys a/3, b/3"),
            (["halo"], "there is no device halo; did you mean Hall?"),
            (["x"], "there is no device x; to list the devices, use lamplighter devices"),
            (["d"], "there is no device d; to list the devices, use lamplighter devices"),
        ] {
            let error = #expect(throws: BridgeControlError.self) { try devices.device(namedFirst: words) }
            #expect(error?.description == message)
        }
        #expect(throws: BridgeControlError.self) { try devices.device(named: "desk l", isWhole: true) }
    }

    @Test("completes devices, then the words and values of the typed device")
    func completion() {
        let devices = [
            LightListing(
                key: "a/1", name: "Desk Lamp", kind: "light", aid: 2, driver: "a", reachable: true,
                state: LightChange(on: true)),
            LightListing(
                key: "a/2", name: "Blind", kind: "cover", aid: 3, driver: "a", reachable: true, state: LightChange()),
        ]
        func candidates(_ words: String..., prefix: String) -> [String] {
            DeviceCompletion.changes(
                .command, of: devices, words: ["lamplighter", "devices", "set"] + words, prefix: prefix)
        }
        #expect(candidates("De", prefix: "De") == ["Desk Lamp", "Blind", "a/1", "a/2"])
        #expect(candidates("a/", prefix: "a/") == ["a/1", "a/2"])
        #expect(candidates("a/1", "", prefix: "").starts(with: ["on", "off", "toggle", "warm"]))
        #expect(candidates("a/1", "br", prefix: "br").contains("brightness="))
        #expect(candidates("blind", "o", prefix: "o").starts(with: ["open", "close", "stop"]))
        #expect(candidates("blind", "movement=", prefix: "movement=").contains("movement=stopped"))
    }

    @Test("lists the devices of one kind, in the singular or the plural")
    func kinds() async throws {
        try await withBridge { path in
            #expect(await run("devices", "--kind", "lights", "--control", path).output.contains("Reading Lamp"))
            #expect(
                await run("devices", "--kind", "fan", "--control", path).output.hasPrefix(
                    "There are no fans.\n1 other device; list all with lamplighter devices\n"))
            #expect(await run("devices", "--kind", "fan", "--json", "--control", path).output == "[]\n")
            #expect(await run("devices", "--kind", "fam", "--control", path).errors.contains("did you mean fan?"))
        }
    }

    @Test("forgets a device by its key or its full name")
    func forget() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            #expect(await run("--control", path, "lights", "forget", "simulated/reading") == Outcome(code: 0))
            #expect(await run("--control", path, "lights", "forget", "read").code == 69)
            #expect(await run("--control", path, "lights", "forget").code == 64)
        }
        #expect(bridge.calls == ["forget simulated/reading"])
    }

    @Test("prints found light systems and the configuration to add")
    func discover() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            let shown = await run("--control", path, "lights", "discover")
            #expect(shown.code == 0 && shown.errors == "lamplighter: no mDNS\\u{1B}\n")
            #expect(
                shown.output == """
                    DRIVER    NAME            ADDRESS        DETAILS      CONFIGURED
                    esphome   den             10.0.0.5:6053  ESPHome      partly
                    mqtt      evil\\u{1B}[2J   10.0.0.6:1883  MQTT broker  no
                    nanoleaf  Shapes          10.0.0.7:1     Nanoleaf     not supported
                    wiz       WiZ light 033D  10.0.0.8:1                  yes

                    Add this to the configuration, then run lamplighter reload:

                    drivers:
                      - driver: mqtt
                        url: mqtt://10.0.0.6:1883
                        id: mqtt-2

                    Add this to the entry of the driver boards, then run lamplighter reload:

                      devices: {den: {key-file: /etc/lamplighter/den.key}}

                    """)
            let listed = await run("--control", path, "--json", "lights", "discover")
            #expect(listed.output.hasPrefix(#"{"found":[{"driver":"esphome","name":"den","#))
        }
        #expect(
            DevicesDiscoverCommand.text(of: FoundLights(found: [], entries: [], problems: []))
                == "No systems found.\n")
    }

    @Test(
        "quotes a YAML value only if YAML would otherwise change its type",
        arguments: [
            ("den", "den"), ("/etc/lamplighter/den.key", "/etc/lamplighter/den.key"), ("10.0.0.7", "10.0.0.7"),
            ("mqtt://10.0.0.6:1883", "mqtt://10.0.0.6:1883"), ("10.0.0.7:80", #""10.0.0.7:80""#), ("no", #""no""#),
            ("", #""""#), ("12", #""12""#), ("1e3", #""1e3""#), ("a: b", #""a: b""#), ("a:", #""a:""#), ("-", #""-""#),
            ("[x", #""[x""#), ("mqtt://[fe80::1]:1883", #""mqtt://[fe80::1]:1883""#), (#"a"\b"#, #""a\"\\b""#),
            ("\u{1B}\u{202E}ä", #""\U0000001b\U0000202eä""#),
        ])
    func yaml(value: String, written: String) {
        #expect(YAMLText.lines(of: ["key": .string(value)], isItem: false) == ["  key: \(written)"])
        #expect(YAMLText.lines(of: [value: 1, "b": [true]], isItem: true) == ["  - \(written): 1", "    b: [true]"])
    }

    @Test("purges lights, and prints their names and number")
    func purge() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            let shown = await run("--control", path, "lights", "purge")
            #expect(shown.code == 0 && shown.errors == "")
            #expect(shown.output.contains("mqtt/old") && shown.output.contains("Old Lamp"))
            #expect(shown.output.hasSuffix("\n2 devices removed.\n"))
            #expect(
                await run("--control", path, "--json", "lights", "purge")
                    == Outcome(
                        code: 0,
                        output: #"[{"key":"mqtt/old","name":"Old Lamp"},{"key":"mqtt/x","name":"X"}]"# + "\n"))
        }
        #expect(bridge.calls == ["purge", "purge"])
        #expect(DevicesPurgeCommand.text(of: []) == "There are no devices to remove.\n")
        #expect(
            DevicesPurgeCommand.text(of: [ForgottenLight(key: "a/b", name: "B")])
                .hasSuffix("\n1 device removed.\n"))
    }

    @Test("removes a pairing by id, or all pairings after a confirmation")
    func pairings() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            #expect(
                await run("--control", path, "pairings", "remove", "AB")
                    == Outcome(code: 0, output: "Removed the pairing AB.\n"))
            #expect(await run("--control", path, "pairings", "remove", "--all").code == 64)
            #expect(await run("--control", path, "pairings", "remove", "--all", answer: "no").code == 75)
            #expect(bridge.calls == ["remove AB"])
            let all = await run("--control", path, "pairings", "remove", "--all", answer: "yes")
            #expect(all.output.hasPrefix("1 pairing removed."))
            #expect(all.errors.hasPrefix("This removes 1 pairing."))
            #expect(await run("--control", path, "pairings", "remove").code == 64)
            #expect(await run("--control", path, "pairings", "remove", "AB", "--all").code == 64)
        }
        #expect(bridge.calls == ["remove AB", "remove all"])
    }

    @Test("prints setup code and QR code, and writes images that only their owner can read")
    func setup() async throws {
        try await withBridge { path in
            let shown = await run("--control", path, "setup")
            #expect(shown.code == 0)
            #expect(shown.output.contains("##############"))
            #expect(shown.output.hasSuffix("setup code  031-45-154\npayload     X-HM://0023ISYWY1QJ8\n"))
            let folder = path.dropLast(2)
            let images = await run("--control", path, "setup", "--svg", "\(folder)/a.svg", "--png", "\(folder)/a.png")
            #expect(images == Outcome(code: 0, output: "setup code  031-45-154\npayload     X-HM://0023ISYWY1QJ8\n"))
            for name in ["a.svg", "a.png"] {
                var status = stat()
                #expect(stat("\(folder)/\(name)", &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                #expect(status.st_size > 200)
            }
            #expect(
                await run("--control", path, "setup", "--svg", "/nowhere/a.svg")
                    == Outcome(
                        code: 73, errors: "lamplighter: can't write /nowhere/a.svg: No such file or directory\n"))
        }
    }

    @Test("prints each watched event, and exits with 69 when the daemon stops")
    func watch() async throws {
        let bridge = Bridge()
        bridge.sink.yield(
            LightEvent(time: "2026-11-21T09:00:00Z", key: "a/b", changes: LightChange(on: true), origin: "device"))
        bridge.sink.finish()
        try await withBridge(bridge) { path in
            #expect(
                await run("--control", path, "--json", "watch")
                    == Outcome(
                        code: 69,
                        output: #"{"time":"2026-11-21T09:00:00Z","key":"a/b","on":true,"origin":"device"}"# + "\n",
                        errors: #"{"error":{"code":69,"name":"unavailable","message":"lamplighterd stopped","#
                            + #""suggestions":[]}}"# + "\n"))
        }
    }

    @Test(
        "reports usage errors with code 64 and one line",
        arguments: [
            (["lihgts"], "did you mean"), (["--control"], "control"), (["lights", "set"], "device"),
            (["lights", "--jsn"], "--jsn"),
            (["setup", "--svg"], "--svg"),
        ])
    func usage(words: [String], part: String) async {
        let outcome = await outcome(of: words)
        #expect(outcome.code == 64)
        #expect(outcome.errors.hasPrefix("lamplighter: "))
        #expect(outcome.errors.lowercased().contains(part))
        #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test("writes a backup that only its owner can read, and replaces an existing file atomically")
    func backup() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            let file = "/tmp/lamplighter-backup-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            defer { unlink(file) }
            #expect(await run("backup", file, "--control", path) == Outcome(code: 0))
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size == 3)
            #expect(await run("restore", file, "--control", path).code == 64)
            #expect(await run("restore", file, "--control", path, answer: "no").code == 75)
            #expect(bridge.calls == [])
            let restored = await run("restore", file, "--control", path, "--yes")
            #expect(restored.code == 0)
            #expect(restored.output == "The bridge is now AA:BB:CC:DD:EE:FF, with 1 pairing and 2 devices.\n")
            #expect(bridge.calls == ["restore 3"])
            #expect(await run("backup", "/nowhere/file", "--control", path).code == 73)
            #expect(await run("restore", "/nowhere/file", "--control", path).code == 66)
        }
    }

    @Test(
        "resets only with --yes or if the operator types yes, and reports the new identity",
        arguments: [(["--yes"], nil), ([], "yes")] as [([String], String?)])
    func reset(options: [String], answer: String?) async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            let unanswered = await run("reset", "--control", path)
            #expect(unanswered.code == 64)
            #expect(unanswered.errors.hasSuffix("can't ask for confirmation here; use --yes\n"))
            for answer in ["no", "y", "Yes", "", "yes "] {
                let refused = await run("reset", "--control", path, answer: answer)
                #expect(refused.code == 75 && refused.output == "")
                #expect(refused.errors.hasSuffix("lamplighter: canceled; nothing was changed\n"))
            }
            #expect(bridge.calls == [])
            let done = await outcome(of: ["reset", "--control", path] + options, answer: answer)
            #expect(done.code == 0)
            #expect(done.output.hasPrefix("The bridge is now 11:22:33:44:55:66 and isn't paired."))
            #expect(bridge.calls == ["reset"])
        }
    }

    @Test("requests the code of a paired bridge only with --force")
    func setupForce() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            let refused = await run("setup", "--control", path)
            #expect(refused.code == 0 && !refused.output.contains("paired"))
            let shown = await run("setup", "--force", "--control", path)
            #expect(
                shown.output.hasSuffix(
                    "The bridge is paired. A controller can add it only after the pairing is removed.\n"))
            #expect(bridge.calls == ["setup", "setup forced"])
        }
    }

    @Test("lists an unreachable light without its last state")
    func unreachableLight() {
        let light = LightListing(
            key: "a/b", name: "B\u{9B}2J", kind: "light", aid: 2, driver: "a", reachable: false,
            state: LightChange(on: true, brightness: 40))
        #expect(
            DeviceTable.text(of: [light]) == """
                KEY  NAME       KIND   AID  STATE
                a/b  B\\u{9B}2J  light  2    unreachable

                """)
        #expect(DeviceTable.text(of: []) == nil)
        #expect(DeviceTable.text(ofWarnings: []) == "")
        // Older daemons send warnings without subjects.
        #expect(
            DeviceTable.text(ofWarnings: [BridgeWarning(.lights, "w\u{9B}2J")])
                == "\nABOUT  WARNING\n       w\\u{9B}2J\n")
        // If only one light has a suggested room, the column is empty for the other lights.
        let other = LightListing(
            key: "a/c", name: "C", kind: "switch", aid: 3, driver: "a", reachable: true, room: "Den\u{9B}",
            state: LightChange(on: true))
        #expect(
            DeviceTable.text(of: [light, other]) == """
                KEY  NAME       KIND    AID  ROOM       STATE
                a/b  B\\u{9B}2J  light   2               unreachable
                a/c  C          switch  3    Den\\u{9B}  on

                """)
    }

    @Test("lists the readings of a fan's sensors")
    func fanWithSensor() throws {
        var state = LightChange(on: true, temperature: 21.5)
        state["temperature#inside"] = 30
        let light = LightListing(
            key: "a/b", name: "B", kind: "fan", aid: 2, driver: "a", reachable: true, state: state)
        #expect(
            DeviceTable.text(of: [try LightListing(json: light.json)])?.hasSuffix(
                "on, temperature 21.5 °C, temperature 30 °C (inside)\n") == true)
    }

    @Test("marks a reachable light as optimistic if it sends no reports")
    func optimisticLight() {
        var light = LightListing(
            key: "a/b", name: "B", kind: "light", aid: 2, driver: "a", reachable: true, optimistic: true,
            state: LightChange(on: true))
        #expect(DeviceTable.text(of: [light])?.hasSuffix("on, optimistic\n") == true)
        light.optimistic = false
        #expect(DeviceTable.text(of: [light])?.hasSuffix("on\n") == true)
        light.optimistic = true
        light.reachable = false
        #expect(DeviceTable.text(of: [light])?.hasSuffix("unreachable\n") == true)
    }

    @Test("prints each event as one sanitized line")
    func watchText() {
        let event = LightEvent(
            time: "2026-11-21T09:00:00Z", key: "a/b\u{9B}2J\n", changes: LightChange(on: true, reachable: false),
            origin: "device")
        #expect(
            WatchLightsCommand.text(of: event) == LocalTime.text(of: event.time)
                + "  a/b\\u{9B}2J\\n  unreachable, on  (device)\n")
    }

    @Test("rejects a file that is larger than any backup before reading it")
    func hugeFile() async throws {
        let bridge = Bridge()
        try await withBridge(bridge) { path in
            let file = "/tmp/lamplighter-huge-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            defer { unlink(file) }
            let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            // The file has a length but no content, so it takes no space on the disk.
            try #require(ftruncate(descriptor, FileTransfer.maximumFileSize + 1) == 0)
            let outcome = await run("restore", file, "--control", path)
            #expect(
                outcome == Outcome(code: 65, errors: "lamplighter: \(file) isn't a backup: it's too large\n")
            )
            #expect(bridge.calls == [])
        }
    }

    @Test("prints an error as JSON with --json at any position")
    func jsonErrors() async throws {
        for words in [["--json", "status"], ["status", "--json"]] {
            let outcome = await outcome(of: words + ["--control", "/nowhere/s"])
            let error = try #require(JSONValue(parsing: Array(outcome.errors.utf8))["error"])
            #expect(outcome.code == 69 && outcome.output == "")
            #expect(error["code"] == 69 && error["name"] == "unavailable")
            #expect(error["message"]?.string?.hasPrefix("can't connect to lamplighterd at /nowhere/s") == true)
            #expect(error["suggestions"]?.array?.count == 1)
        }
        #expect(await run("--json", "lights", "set").errors.hasPrefix(#"{"error":{"code":64,"name":"usage""#))
    }

    @Test(
        "suggests the nearest command for an unknown command, even after help",
        arguments: [
            (["statsu"], "unknown command \"statsu\"; did you mean \"lamplighter status\"?"),
            (["help", "foo"], "unknown command \"foo\"; see lamplighter --help"),
            (
                ["help", "lights", "sett"],
                "unknown command \"lights sett\"; did you mean \"lamplighter lights set\"?"
            ),
        ])
    func unknownCommand(words: [String], message: String) async {
        #expect(await outcome(of: words) == Outcome(code: 64, errors: "lamplighter: \(message)\n"))
    }

    @Test("prints the changes of a reload, and the keys that require a restart")
    func reload() async throws {
        try await withBridge { path in
            #expect(
                await run("reload", "--control", path).output == """
                    drivers  added a; removed b, c
                    lights   changed home/1
                    bridge.port takes effect after a restart of lamplighterd.

                    """)
            #expect(await run("pairings", "unlock", "--control", path) == Outcome(code: 0))
        }
    }

    @Test(
        "derives the daemon's files from the control socket",
        arguments: [
            ("./.lamplighter/run/control.sock", "Config/demo.yaml", "./.lamplighter"),
            ("/run/lamplighter/control.sock", "/etc/lamplighter/lamplighter.yaml", "/var/lib/lamplighter"),
            ("/run/lamplighter-garden/control.sock", "/etc/lamplighter/garden.yaml", "/var/lib/lamplighter-garden"),
            ("/run/lamplighter-/control.sock", nil, nil), ("/run/lamplighter-a/b/control.sock", nil, nil),
            ("/tmp/control.sock", nil, nil), ("/run/lamplighter-control.sock", nil, nil),
        ] as [(String, String?, String?)])
    func places(socket: String, configuration: String?, stateDirectory: String?) {
        let places = DaemonPlaces(socket: socket)
        #expect(places?.configuration == configuration)
        #expect(places?.stateDirectory == stateDirectory)
    }

    @Test("prints each result of doctor, and writes the verdict to standard error")
    func doctor() async {
        let reason = "can't connect to lamplighterd at /nowhere/s (No such file or directory)"
        let remedy =
            "start it: systemctl start lamplighterd; to find out why it doesn't start, use "
            + "doctor --config FILE --state-directory DIR"
        let outcome = await run("doctor", "--control", "/nowhere/s")
        #expect(outcome.code == 69)
        #expect(
            outcome.output.hasPrefix(
                "wrong    daemon         \(reason); \(remedy)\nok       clock          the date is "))
        #expect(outcome.errors == "lamplighter: daemon: \(reason); \(remedy)\n")
        let json = await run("doctor", "--json", "--control", "/nowhere/s")
        #expect(json.output.hasPrefix(#"{"verdict":"daemon","message":"\#(reason)","remedy":"\#(remedy)","checks":[{"#))
        #expect(json.errors.hasPrefix(#"{"error":{"code":69,"name":"unavailable","message":"daemon: \#(reason)","#))
    }

    @Test("sanitizes the results of doctor")
    func sanitizedResults() {
        let text = DoctorCommand.text(of: [CheckResult(.clone, .wrong, "a\u{1B}[2J", remedy: "b\u{7}")])
        #expect(text == "wrong    clone          a\\u{1B}[2J; b\\u{7}\n")
    }

    @Test("prints help and version to standard output")
    func help() async {
        #expect(await run("--version") == Outcome(code: 0, output: "lamplighter \(Version.current)\n"))
        #expect(await run("version") == Outcome(code: 0, output: "lamplighter \(Version.current)\n"))
        for (words, usage) in [
            (["--help"], ""), (["--json", "--help"], ""), (["lights", "--help"], ""),
            (["plugin", "test", "--help"], " plugin test"), (["help", "plugin", "test"], " plugin test"),
        ] {
            let outcome = await outcome(of: words)
            #expect(outcome.code == 0 && outcome.output.contains("USAGE: lamplighter\(usage)"))
        }
    }
}

final class Bridge: BridgeControlHandler {
    let (events, sink) = AsyncStream.makeStream(of: LightEvent.self)
    private let state = Mutex<[String]>([])
    /// The number of status requests since the reset.
    ///
    /// The first requests still return the former identity.
    private let asked = Mutex(0)

    var calls: [String] { state.withLock { $0 } }

    private var isReset: Bool {
        guard calls.contains("reset") else { return false }
        return asked.withLock { asked in
            asked += 1
            return asked > 2
        }
    }

    private func note(_ call: String) { state.withLock { $0.append(call) } }

    func status() async throws -> BridgeStatus {
        let isReset = isReset
        return BridgeStatus(
            name: "Lamplighter", deviceID: isReset ? "11:22:33:44:55:66" : "AA:BB:CC:DD:EE:FF",
            since: isReset ? "1" : "\(calls.count { $0.hasPrefix("restore") })", port: 51826, configurationNumber: 3,
            paired: true,
            controllers: 1, advertisement: .init(state: .published, name: "Lamplighter EEFF"),
            drivers: [
                .init(id: "simulated", driver: "simulated", code: .running),
                .init(id: "home", driver: "mqtt", code: .degraded, reason: "no broker", dropped: 2),
            ], lights: .init(count: 2, reachable: 1),
            kinds: [.init(kind: "lights", count: 1), .init(kind: "switches", count: 1)],
            hiddenKinds: [.init(kind: "fans", count: 1), .init(kind: "sensors", count: 12)],
            includeLine: "include: [lights, fans, sensors]",
            warnings: [
                BridgeWarning(.lights, "one\ntwo", about: .init(driver: "simulated", light: "simulated/reading")),
                BridgeWarning(.storage, "full"), BridgeWarning(.lights, "no broker", about: .init(driver: "home")),
            ])
    }

    func warnings() async throws -> WarningListing { WarningListing(since: "", records: []) }
    func diagnostics() async throws -> BridgeDiagnostics {
        BridgeDiagnostics(
            version: Version.current, process: 1, isToBeAdvertised: true, wantedName: "Lamplighter EEFF",
            interfaces: [], txt: [:], pairings: 1, refusedSetups: 0, failedAttempts: 0, attemptsAllowed: 100,
            clockStep: 0,
            storage: .init(directory: "/var/lib/lamplighter", freeBytes: 1 << 30))
    }

    func setup(force: Bool) async throws -> SetupListing {
        note(force ? "setup forced" : "setup")
        return SetupListing(code: "031-45-154", payload: "X-HM://0023ISYWY1QJ8", paired: force)
    }

    func lights() async throws -> [LightListing] {
        [
            LightListing(
                key: "simulated/reading", name: "Reading Lamp", kind: "light", aid: 2, driver: "simulated",
                reachable: true, warnings: ["one\ntwo"], state: LightChange(on: true, brightness: 40))
        ]
    }

    func setLight(_ key: String, _ change: LightChange) async throws {
        note("set \(key) \(change.json.text)")
    }

    func discoverLights() async throws -> FoundLights {
        FoundLights(
            found: [
                .init(driver: "esphome", name: "den", address: "10.0.0.5:6053", detail: "ESPHome", state: .incomplete),
                .init(
                    driver: "mqtt", name: "evil\u{1B}[2J", address: "10.0.0.6:1883", detail: "MQTT broker", state: .new),
                .init(
                    driver: "nanoleaf", name: "Shapes", address: "10.0.0.7:1", detail: "Nanoleaf", state: .unsupported),
                .init(driver: "wiz", name: "WiZ light 033D", address: "10.0.0.8:1", detail: nil, state: .configured),
            ],
            entries: [
                .init(id: nil, keys: ["driver": "mqtt", "url": "mqtt://10.0.0.6:1883", "id": "mqtt-2"]),
                .init(id: "boards", keys: ["devices": ["den": ["key-file": "/etc/lamplighter/den.key"]]]),
            ], problems: ["no mDNS\u{1B}"])
    }

    func forgetLight(_ key: String) async throws { note("forget \(key)") }
    func identifyLight(_ key: String) async throws { note("identify \(key)") }
    func purgeLights() async throws -> [ForgottenLight] {
        note("purge")
        return [ForgottenLight(key: "mqtt/old", name: "Old Lamp"), ForgottenLight(key: "mqtt/x", name: "X")]
    }
    func simulate(_ key: String, _ change: LightChange) async throws { note("simulate \(key) \(change.json.text)") }

    func pairings() async throws -> [PairingListing] { [PairingListing(id: "AB\u{1B}", admin: true, connected: false)] }
    func removePairing(_ id: String) async throws { note("remove \(id)") }
    func removeAllPairings() async throws { note("remove all") }
    func unlockPairing() async throws { note("unlock") }
    func reset() async throws { note("reset") }
    func backup(isByPage: Bool) async throws -> [UInt8] { [1, 2, 3] }

    func configuration() async throws -> ConfigurationListing {
        ConfigurationListing(
            file: "/etc/x.yaml",
            offers: [
                DriverOffer(
                    driver: "mqtt", title: "MQTT", about: "Devices.",
                    fields: [
                        .init(name: "url", label: "Broker", kind: .text, isRequired: true, example: "mqtt://h:1"),
                        .init(name: "password-file", label: "Password", kind: .secret),
                    ])
            ], hidden: [.init(key: "home/2", name: "Cellar")], undo: "hide home/2")
    }

    func proposeConfiguration(_ change: ConfigurationChange, isByPage: Bool) async throws -> ConfigurationProposal {
        note("propose \(change.json.text)")
        return ConfigurationProposal(
            token: "t1", file: "/etc/x.yaml", diff: "@@ -1,0 +2,1 @@\n+a: 1\n", warnings: ["Mind the gap."],
            secretFiles: ["/etc/mqtt.password"])
    }

    func applyConfiguration(_ token: String, isByPage: Bool) async throws -> ReloadListing {
        note("apply \(token)")
        return try await reload()
    }

    func undoConfiguration(isByPage: Bool) async throws -> ReloadListing {
        note("undo")
        return try await reload()
    }

    func reload() async throws -> ReloadListing {
        ReloadListing(
            drivers: .init(added: ["a"], removed: ["b", "c"]), lights: ["home/1"], needsRestart: ["bridge.port"])
    }

    func restore(_ receive: @Sendable () async throws -> [UInt8]) async throws -> RestoreListing {
        let backup = try await receive()
        note("restore \(backup.count)")
        return RestoreListing(deviceID: "AA:BB:CC:DD:EE:FF", pairings: 1, lights: 2)
    }

    func watch() async throws -> AsyncStream<LightEvent> { events }
}
