import BoundedJSON
import DeviceKit
import FoundationEssentials
import HAPTesting
import HTTPKit
import Logging
import Synchronization
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A session with a WLED device", .timeout)
struct WLEDSessionTests {
    typealias Event = SessionEvent<WLEDSession.Output>

    static let id: LightID = "aabbccddeeff"

    struct Talk {
        var session = WLEDSession(name: "shelf", options: WLEDOptions(), now: .zero)
        var now = Duration.zero

        mutating func receive(_ input: WLEDSession.Input) -> [Event] { session.received(input, now: now) }

        mutating func answer(_ number: Int, _ text: String, status: Int = 200) -> [Event] {
            receive(.answer(number: number, HTTPClientResponse(status: status, body: Array(text.utf8))))
        }

        mutating func pass(_ time: Duration) -> [Event] {
            now += time
            return session.timePassed(now: now)
        }

        mutating func join(_ text: String = WLEDStateTests.text()) -> [Event] {
            _ = session.started(now: .zero)
            return answer(1, text)
        }

        mutating func order(_ command: LightCommand, _ number: Int) throws -> [Event] {
            try session.apply(command, to: id, number: number, now: now)
        }
    }

    static func requests(_ events: [Event]) -> [String] {
        events.compactMap { event in
            guard case .output(.request(_, let request)) = event else { return nil }
            return "\(request.path) \(String(decoding: request.body, as: UTF8.self))"
        }
    }

    @Test("queries a device, identifies it and opens its WebSocket")
    func join() {
        var talk = Talk()
        #expect(
            talk.session.started(now: .zero) == [
                .output(.request(number: 1, HTTPClientRequest(method: .get, path: "/json/si")))
            ])
        let events = talk.answer(1, WLEDStateTests.text())
        #expect(events.prefix(2) == [.identified("aabbccddeeff"), .output(.openWebSocket)])
        guard case .lights(let lights) = events[2], case .report(let id, _) = events[3] else {
            Issue.record("\(events)")
            return
        }
        #expect(lights.map(\.id) == [Self.id] && id == Self.id)
    }

    @Test("polls a device whose firmware has no WebSocket", arguments: [#""ws": -1"#, #""live": false"#])
    func withoutWebSocket(info: String) {
        var talk = Talk()
        #expect(!talk.join(WLEDStateTests.text(info: info)).contains(.output(.openWebSocket)))
        #expect(talk.pass(.seconds(5)).count == 1)
    }

    @Test("polls often without a WebSocket, rarely with one, and at once when it closes")
    func polls() {
        var talk = Talk()
        _ = talk.join()
        #expect(talk.session.deadline == .seconds(5))
        _ = talk.receive(.webSocketOpened)
        #expect(Self.requests(talk.pass(.seconds(5))) == ["/json/si "])
        _ = talk.answer(2, WLEDStateTests.text())
        #expect(talk.session.deadline == .seconds(5) + .seconds(30))
        _ = talk.receive(.webSocketClosed)
        #expect(Self.requests(talk.pass(.zero)) == ["/json/si "])
        _ = talk.answer(3, WLEDStateTests.text())
        #expect(talk.pass(.seconds(10)).contains(.output(.openWebSocket)))
    }

    @Test("sends one request at a time, commands before queries")
    func oneAtATime() throws {
        var talk = Talk()
        _ = talk.join()
        #expect(talk.pass(.seconds(5)).count == 1)
        #expect(try talk.order(LightCommand(on: true), 7) == [])
        let events = talk.answer(2, WLEDStateTests.text())
        #expect(Self.requests(events) == [#"/json/state {"v":true,"on":true}"#])
    }

    @Test("finishes a command with its answer, and applies the new state")
    func commands() throws {
        var talk = Talk()
        _ = talk.join()
        _ = try talk.order(LightCommand(on: false), 7)
        let state = try #require(JSONValue(parsing: WLEDStateTests.text(on: false))["state"])
        let events = talk.answer(2, state.text)
        #expect(events.last == .finished(command: 7, nil))
        guard case .report(Self.id, let report)? = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(report.on == false)
        _ = try talk.order(LightCommand(on: true), 8)
        #expect(talk.answer(3, #"{"success": true}"#).contains(.finished(command: 8, nil)))
        #expect(!talk.pass(.zero).isEmpty, "the state is queried if the answer doesn't contain it")
    }

    @Test(
        "reports a refused command",
        arguments: [(503, LightError.busy), (400, .refused("the device answered with status 400"))])
    func refused(status: Int, error: LightError) throws {
        var talk = Talk()
        _ = talk.join()
        _ = try talk.order(LightCommand(on: false), 7)
        #expect(talk.answer(2, "", status: status) == [.finished(command: 7, error)])
        #expect(throws: LightError.unknownLight) {
            try talk.session.apply(LightCommand(on: true), to: "other", number: 8, now: .zero)
        }
    }

    @Test("drops a command that is canceled before its turn")
    func cancelled() throws {
        var talk = Talk()
        _ = talk.join()
        _ = talk.pass(.seconds(5))
        _ = try talk.order(LightCommand(on: true), 7)
        talk.session.cancelled(command: 7)
        #expect(Self.requests(talk.answer(2, WLEDStateTests.text())) == [])
    }

    @Test("reports changes by other clients, and ignores other messages")
    func messages() {
        var talk = Talk()
        _ = talk.join()
        let events = talk.receive(.message(Array(WLEDStateTests.text(on: false).utf8)))
        #expect(events.count == 1)
        for text in ["{}", #"{"error": 3}"#, #"{"success": true}"#] {
            #expect(talk.receive(.message(Array(text.utf8))) == [])
        }
        #expect(talk.receive(.message(Array("nonsense".utf8))) == [.unreadable])
    }

    @Test("ignores an answer to a query if a change by another client was received in the meantime")
    func changeDuringQuery() {
        var talk = Talk()
        _ = talk.join()
        _ = talk.receive(.webSocketOpened)
        #expect(talk.pass(.seconds(5)).count == 1)
        #expect(talk.receive(.message(Array(WLEDStateTests.text(on: false).utf8))).count == 1)
        #expect(talk.answer(2, WLEDStateTests.text(on: true)) == [])
        #expect(talk.pass(.seconds(30)).count == 1)
        #expect(talk.answer(3, WLEDStateTests.text(on: true)).count == 1)
    }

    @Test("ends the connection after an unanswered request, but ignores the failure of an older request")
    func silence() {
        var talk = Talk()
        _ = talk.join()
        #expect(talk.receive(.noAnswer(number: 1, .timedOut)) == [])
        _ = talk.pass(.seconds(5))
        #expect(talk.receive(.noAnswer(number: 2, .timedOut)) == [.failed(.unreachable("no answer in time"))])
    }

    /// The responses of a device that is starting or too busy, with the reasons for the failures.
    static let transient = [
        (500, "", "it answered with status 500"), (503, "{}", "it answered with status 503"),
        (200, "", "its answer is empty"), (200, String(WLEDStateTests.text().prefix(300)), "its answer is cut off"),
        (200, WLEDStateTests.text(segments: ""), "it has no segments yet"),
    ]

    @Test("treats a bad first answer as a temporary failure", arguments: transient)
    func badStart(status: Int, text: String, reason: String) {
        var talk = Talk()
        _ = talk.session.started(now: .zero)
        #expect(talk.answer(1, text, status: status) == [.failed(.unreachable(reason))])
    }

    @Test("tolerates two bad answers from a known device", arguments: transient)
    func badAnswers(status: Int, text: String, reason: String) {
        var talk = Talk()
        _ = talk.join()
        for number in 2...3 {
            _ = talk.pass(.seconds(5))
            #expect(talk.answer(number, text, status: status) == [])
        }
        _ = talk.pass(.seconds(5))
        #expect(talk.answer(4, text, status: status) == [.failed(.unreachable(reason))])
    }

    @Test("rejects devices of other kinds", arguments: ["[]", "{}", "<html>"])
    func noDevice(text: String) {
        var talk = Talk()
        #expect(
            talk.join(text) == [
                .failed(.unusable("shelf isn't a WLED device, or its firmware is too old; remove or update it"))
            ])
    }

    @Test("identifies a light for a second without reporting it, and restores the light")
    func identify() throws {
        var talk = Talk()
        _ = talk.join()
        let begin = try talk.session.identify(Self.id, number: 7, now: .zero)
        #expect(Self.requests(begin) == [#"/json/state {"v":true,"tt":0,"on":false}"#])
        #expect(talk.answer(2, WLEDStateTests.text(on: false)) == [.finished(command: 7, nil)])
        let end = talk.pass(.seconds(1))
        #expect(Self.requests(end) == [#"/json/state {"v":true,"tt":0,"on":true}"#])
        #expect(talk.answer(3, WLEDStateTests.text()).count == 1, "the state is reported again")
    }

    @Test("warns once while another program controls the lights")
    func live() {
        var talk = Talk()
        _ = talk.join()
        let live = WLEDStateTests.text(info: #""ws": 1, "live": true"#)
        func warnings(_ events: [Event]) -> Int { events.count { if case .warning = $0 { true } else { false } } }
        #expect(warnings(talk.receive(.message(Array(live.utf8)))) == 1)
        #expect(warnings(talk.receive(.message(Array(live.utf8)))) == 0)
        #expect(talk.receive(.message(Array(WLEDStateTests.text().utf8))).contains(.warning(nil)))
    }

    // MARK: As a driver

    /// Connections to simulated devices, which are identified by their ports.
    final class Devices: DeviceConnection {
        typealias Session = WLEDSession

        enum Behaviour: Sendable {
            case obeys
            /// Answers queries but not commands.
            case ignoresCommands
            /// Answers once and then disappears.
            case leaves
        }

        static let ports: [Int: Behaviour] = [1: .obeys, 2: .ignoresCommands, 3: .leaves]

        let states = Mutex<[Int: Bool]>([:])
        let visits = Mutex<[Int: Int]>([:])

        func connect(to endpoint: DeviceEndpoint) -> DeviceRoute { DeviceRoute(to: endpoint) }

        func run(
            over route: DeviceRoute, outputs: AsyncStream<WLEDSession.Output>,
            receive: @escaping @Sendable (WLEDSession.Input) async -> Void
        ) async -> SessionFault {
            let endpoint = route.endpoint
            guard let behaviour = Self.ports[endpoint.port] else { return .unreachable("no such port") }
            for await output in outputs {
                guard case .request(let number, let request) = output else { continue }
                if case .leaves = behaviour {
                    let visit = visits.withLock { visits in
                        visits[endpoint.port, default: 0] += 1
                        return visits[endpoint.port] ?? 0
                    }
                    guard visit == 1 else { return .unreachable("refused") }
                }
                if let on = (try? JSONValue(parsing: request.body))?["on"]?.bool {
                    if case .ignoresCommands = behaviour { continue }
                    states.withLock { $0[endpoint.port] = on }
                }
                let on = states.withLock { $0[endpoint.port] ?? false }
                let text = WLEDStateTests.text(on: on).replacing("aabbccddeeff", with: "aabbccddee0\(endpoint.port)")
                await receive(.answer(number: number, HTTPClientResponse(body: Array(text.utf8))))
                if case .leaves = behaviour { return .unreachable("gone") }
            }
            return .unreachable("over")
        }
    }

    static func driver(share: @escaping @Sendable () -> Double = { 0.05 }) -> DeviceLightDriver<Devices> {
        let hosts = Devices.ports.keys.sorted().map { DeviceHost(host: "shelf", port: $0) }
        return DeviceLightDriver(
            DeviceSelection(discover: false, hosts: hosts), options: WLEDOptions(), connection: Devices(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, share: share
        ) { fatalError("the driver doesn't search for devices") }
    }

    @Test("meets the driver contract")
    func contract() async throws {
        let driver = Self.driver()
        let contract = DriverContract(
            goodLight: "aabbccddee01", lostLight: "aabbccddee03", silentLight: "aabbccddee02"
        ) { driver }
        #expect(try await contract.violations() == [])
    }

    @Test("rarely wakes up while nothing happens")
    func idle() async throws {
        // The driver calls this function each time it wakes up.
        let looks = Mutex(0)
        let driver = Self.driver {
            looks.withLock { $0 += 1 }
            return 1
        }
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "aabbccddee01") { $0.reachable == true })
            let before = looks.withLock { $0 }
            try await Task.sleep(for: .milliseconds(300))
            #expect(looks.withLock { $0 } - before < 20)
        }
    }
}
