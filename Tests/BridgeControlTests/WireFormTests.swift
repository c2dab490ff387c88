import BoundedJSON
import BridgeControl
import LineRPC
import Logging
import Synchronization
import TestTimeouts
import Testing

/// A message and its JSON text, which all versions of the command and the daemon must understand.
struct WireForm: Sendable, CustomTestStringConvertible {
    let text: String
    let written: String
    let isReadBack: Bool

    init<Message: BridgeMessage>(_ message: Message, _ text: String) {
        self.text = text
        written = message.json.text
        isReadBack = (try? Message(json: JSONValue(parsing: text))) == message
    }

    var testDescription: String { text }
}

private let wireForms: [WireForm] = [
    WireForm(
        example,
        #"{"name":"Lamplighter","deviceId":"AA:BB:CC:DD:EE:FF","since":"2026-11-21T10:00:00.000Z","port":51826,"configurationNumber":3,"paired":true,"controllers":2,"advertisement":{"state":"published","name":"Lamplighter EEFF"},"drivers":[{"id":"home","driver":"mqtt","state":"running","code":"running"}],"lights":{"count":4,"reachable":3},"warnings":["no broker","dim"],"warningCodes":["lights","lights"],"warningSubjects":[{"driver":"home"},{"driver":"home","light":"home/a"}]}"#
    ),
    WireForm(
        LightChange(),
        #"{}"#),
    WireForm(
        LightChange(on: false, brightness: 40, hue: 30.5, saturation: 80, temperature: 250, reachable: true),
        #"{"reachable":true,"on":false,"brightness":40,"hue":30.5,"saturation":80,"temperature":250}"#),
    WireForm(
        LightListing(
            key: "a/b", name: "B", kind: "light", aid: .max, driver: "a", reachable: false,
            state: LightChange(on: true, brightness: 1, hue: 0.25, saturation: 100, temperature: 50)),
        #"{"key":"a/b","name":"B","kind":"light","aid":18446744073709551615,"driver":"a","reachable":false,"on":true,"brightness":1,"hue":0.25,"saturation":100,"temperature":50}"#
    ),
    WireForm(
        LightListing(
            key: "a/b", name: "B", kind: "outlet", aid: 2, driver: "a", reachable: true, room: "Den",
            state: LightChange(on: false)),
        #"{"key":"a/b","name":"B","kind":"outlet","aid":2,"driver":"a","reachable":true,"room":"Den","on":false}"#),
    WireForm(
        LightListing(
            key: "a/b", name: "B", kind: "light", aid: 2, driver: "a", reachable: true, optimistic: true,
            state: LightChange(on: false)),
        #"{"key":"a/b","name":"B","kind":"light","aid":2,"driver":"a","reachable":true,"optimistic":true,"on":false}"#),
    WireForm(
        LightListing(
            key: "a/b", name: "B", kind: "light", aid: 2, driver: "a", reachable: true, warnings: ["dim"],
            state: LightChange(on: false)),
        #"{"key":"a/b","name":"B","kind":"light","aid":2,"driver":"a","reachable":true,"warnings":["dim"],"on":false}"#),
    WireForm(
        WarningListing(
            since: "s",
            records: [
                WarningRecord(
                    BridgeWarning(.lights, "no broker", about: .init(driver: "home")), since: "a", until: "b", times: 2)
            ]),
        #"{"since":"s","records":[{"code":"lights","message":"no broker","subject":{"driver":"home"},"since":"a","until":"b","times":2}]}"#
    ),
    WireForm(
        PairingListing(id: "x", admin: true, connected: true, bridge: 1, connectedSince: "t"),
        #"{"id":"x","admin":true,"connected":true,"bridge":1,"connectedSince":"t"}"#),
    WireForm(
        StartReport(.port, "taken", code: 69),
        #"{"step":"port","message":"taken","code":69}"#),
    WireForm(
        StartReport(.configuration, "p; r", code: 78, problem: "p", remedy: "r"),
        #"{"step":"configuration","message":"p; r","code":78,"problem":"p","remedy":"r"}"#),
    WireForm(
        LightEvent(
            time: "2026-11-21T09:00:00Z", key: "a/b", changes: LightChange(on: true, reachable: false),
            origin: "operator"),
        #"{"time":"2026-11-21T09:00:00Z","key":"a/b","reachable":false,"on":true,"origin":"operator"}"#),
    WireForm(
        LightEvent(time: "t", key: "a/b", changes: LightChange(hue: 360), origin: "device"),
        #"{"time":"t","key":"a/b","hue":360,"origin":"device"}"#),
    WireForm(
        SetupListing(code: "031-45-154", payload: "X-HM://0023ISYWY1QJ8", paired: false),
        #"{"code":"031-45-154","payload":"X-HM://0023ISYWY1QJ8","paired":false}"#),
    WireForm(
        PairingListing(id: "x", admin: true, connected: false),
        #"{"id":"x","admin":true,"connected":false}"#),
    WireForm(
        ReloadListing(),
        #"{"drivers":{"added":[],"changed":[],"removed":[]},"lights":[],"needsRestart":[]}"#),
    WireForm(
        ReloadListing(
            drivers: .init(added: ["a"], changed: ["b"], removed: ["c", "d"]), lights: ["b/c"],
            needsRestart: ["bridge.port"]),
        #"{"drivers":{"added":["a"],"changed":["b"],"removed":["c","d"]},"lights":["b/c"],"needsRestart":["bridge.port"]}"#
    ),
    WireForm(
        FoundLights(
            found: [
                .init(driver: "wiz", name: "A", address: "10.0.0.5:1", detail: "a bulb", state: .configured),
                .init(driver: "hue", name: "B", address: "10.0.0.6:443", detail: nil, state: .unsupported),
            ],
            entries: [
                .init(id: nil, keys: ["driver": "wiz"]), .init(id: "boards", keys: ["devices": ["den": ["a": "b"]]]),
            ], problems: ["no mDNS"]),
        #"{"found":[{"driver":"wiz","name":"A","address":"10.0.0.5:1","detail":"a bulb","state":"configured"},{"driver":"hue","name":"B","address":"10.0.0.6:443","state":"unsupported"}],"entries":[{"keys":{"driver":"wiz"}},{"id":"boards","keys":{"devices":{"den":{"a":"b"}}}}],"problems":["no mDNS"]}"#
    ),
    WireForm(ForgottenLight(key: "a/b", name: "B"), #"{"key":"a/b","name":"B"}"#),
    WireForm(
        RestoreListing(deviceID: "AA:BB:CC:DD:EE:FF", pairings: 2, lights: 3),
        #"{"deviceId":"AA:BB:CC:DD:EE:FF","pairings":2,"lights":3}"#),
    WireForm(
        BridgeDiagnostics(
            version: "1", process: 12, isToBeAdvertised: true, wantedName: "W", discoveryError: "no Avahi",
            interfaces: ["eth0", "wlan0"], txt: ["sf": "1", "c#": "3"], pairings: 2, refusedSetups: 4,
            failedAttempts: 7, attemptsAllowed: 100, clockStep: -3,
            storage: .init(directory: "/d", problem: "full", freeBytes: 1 << 40)),
        #"{"version":"1","process":12,"advertise":true,"wantedName":"W","interfaces":["eth0","wlan0"],"txt":{"c#":"3","sf":"1"},"pairings":2,"refusedSetups":4,"failedAttempts":7,"attemptsAllowed":100,"clockStep":-3,"storage":{"directory":"/d","freeBytes":1099511627776,"problem":"full"},"obstacle":"no Avahi"}"#
    ),
    WireForm(
        BridgeDiagnostics(
            version: "1", process: 12, isToBeAdvertised: false, wantedName: "W", interfaces: [], txt: [:], pairings: 0,
            refusedSetups: 0, failedAttempts: 0, attemptsAllowed: 100, clockStep: 0,
            storage: .init(directory: "/d", freeBytes: 0)),
        #"{"version":"1","process":12,"advertise":false,"wantedName":"W","interfaces":[],"txt":{},"pairings":0,"refusedSetups":0,"failedAttempts":0,"attemptsAllowed":100,"clockStep":0,"storage":{"directory":"/d","freeBytes":0}}"#
    ),
]

@Suite("Wire format", .timeout) struct WireFormTests {
    @Test("encodes and decodes every message as version 1 does", arguments: wireForms)
    func form(form: WireForm) {
        #expect(form.written == form.text)
        #expect(form.isReadBack)
    }

    @Test("ignores unknown members and `null`")
    func tolerant() throws {
        let json = try JSONValue(parsing: #"{"new":[{}],"id":"x","admin":true,"connected":false}"#)
        #expect(try PairingListing(json: json) == PairingListing(id: "x", admin: true, connected: false))
        let change = try JSONValue(parsing: #"{"on":null,"brightness":40.0,"hue":7,"unheardOf":1}"#)
        #expect(try LightChange(json: change) == LightChange(brightness: 40, hue: 7))
    }

    @Test("sends every request as version 1 does")
    func requests() async throws {
        let daemon = Recorder()
        try await withUnixSocket { path, onListening in
            try await LineRPCServer(
                path: path, handler: daemon, logger: silent
            ).run(onListening: onListening)
        } _: { path in
            try await BridgeControlClient.connect(to: SocketLocation(chosen: path)) { bridge in
                _ = try? await bridge.status()
                _ = try? await bridge.warnings()
                _ = try? await bridge.setup(force: true)
                _ = try? await bridge.lights()
                try await bridge.setLight("a/b", LightChange(on: true, hue: 20))
                _ = try? await bridge.discoverLights()
                try await bridge.forgetLight("a/b")
                try await bridge.identifyLight("a/b")
                _ = try? await bridge.purgeLights()
                try await bridge.simulate("a/b", LightChange(reachable: false))
                _ = try? await bridge.pairings()
                try await bridge.removePairing("x")
                try await bridge.removeAllPairings()
                try await bridge.unlockPairing()
                _ = try? await bridge.reload()
                try await bridge.reset()
                let backup = try await bridge.backup()
                #expect(backup == [0, 255])
                _ = try? await bridge.restore([1, 2, 3])
            }
        }
        #expect(
            daemon.lines == [
                "status {}", "warnings {}", #"setup {"force":true}"#, "lights {}",
                #"lights.set {"key":"a/b","change":{"on":true,"hue":20}}"#, "lights.discover {}",
                #"lights.forget {"key":"a/b"}"#,
                #"lights.identify {"key":"a/b"}"#, "lights.purge {}",
                #"simulate {"key":"a/b","change":{"reachable":false}}"#, "pairings {}",
                #"pairings.remove {"id":"x"}"#, "pairings.removeAll {}", "pairings.unlock {}", "reload {}", "reset {}",
                "backup {}", "part.write gives {}", #"restore {"size":3}"#, #"part.read gives {"data":"AgM="}"#,
            ])
    }
}

/// A fake daemon that records requests and answers them.
private final class Recorder: LineRPCHandler {
    private let state = Mutex<[String]>([])
    var lines: [String] { state.withLock { $0 } }

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        state.withLock { $0.append("\(method) \(params.text)") }
        switch method {
        case "backup":
            let answer = try await peer.call("part.write", ["data": "AP8="])
            state.withLock { $0.append("part.write gives \(answer.text)") }
            return ["size": 2]
        case "restore":
            let answer = try await peer.call("part.read", ["offset": 1])
            state.withLock { $0.append("part.read gives \(answer.text)") }
            return [:]
        default: return [:]
        }
    }
}
