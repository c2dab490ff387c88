import DeviceKit
import Foundation
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The registry of datagram devices", .timeout)
struct DatagramDeviceRegistryTests {
    static let id = LIFXTests.id
    static let here = IPv4Endpoint(address: 0x0A00_0007, port: 56700)

    /// Returns a registry that has added one light at time 0.
    static func home() throws -> DatagramDeviceRegistry<LIFXDevice> {
        var home = DatagramDeviceRegistry<LIFXDevice>(looksFor: LANDevices(), session: 9)
        home.search(on: [], now: .zero)
        home.received(LIFXTests.answer(3, [1, 0x7C, 0xDD, 0, 0], number: 0), from: here, now: .zero)
        let answers: [(UInt16, [UInt8])] = [
            (33, [1, 0, 0, 0, 27, 0, 0, 0, 0, 0, 0, 0]), (107, LIFXTests.state([0, 0, .max, 3500])),
            (53, [UInt8](repeating: 0, count: 56)), (15, [UInt8](repeating: 0, count: 20)),
            (107, LIFXTests.state([0, 0, .max, 3500])),
        ]
        for (number, (type, payload)) in answers.enumerated() {
            home.received(LIFXTests.answer(type, payload, number: UInt8(number + 1)), from: here, now: .zero)
        }
        return home
    }

    static func types(_ actions: [DatagramAction]) -> [UInt8] {
        actions.compactMap { if case .send(let bytes, _, _) = $0 { bytes[32] } else { nil } }
    }

    @Test("sends a search to each network and to each configured host")
    func search() {
        let network = IPv4Network(address: 0x0A00_0002, mask: 0xFFFF_FF00)
        let host = IPv4Endpoint("10.9.0.1:7", port: 1)!
        for (discover, expected) in [(true, ["10.0.0.255:56700", "10.9.0.1:7"]), (false, ["10.9.0.1:7"])] {
            var home = DatagramDeviceRegistry<LIFXDevice>(
                looksFor: LANDevices(discover: discover, hosts: [host]), session: 9)
            #expect(home.isSearchDue(now: .zero))
            home.search(on: [network], now: .zero)
            let asked = home.takeActions().compactMap { action -> String? in
                if case .send(_, let endpoint, _) = action { endpoint.description } else { nil }
            }
            #expect(asked == expected)
            #expect(home.deadline == .seconds(1) && !home.isSearchDue(now: .milliseconds(999)))
        }
    }

    @Test("doubles the interval between searches up to a minute")
    func searchPauses() {
        var home = DatagramDeviceRegistry<LIFXDevice>(looksFor: LANDevices(), session: 9)
        var times: [Duration] = []
        for _ in 0..<8 {
            times.append(home.deadline)
            home.search(on: [], now: home.deadline)
        }
        #expect(times == [0, 1, 3, 7, 15, 31, 63, 123].map { .seconds($0) })
    }

    @Test("queries a device that it has found, then adds it with its state")
    func found() throws {
        var home = try Self.home()
        let actions = home.takeActions()
        #expect(Self.types(actions) == [32, 101, 51, 14, 101])
        let told = actions.filter { if case .send = $0 { false } else { true } }
        #expect(told.count == 2)
        #expect(
            told.last
                == .report(
                    Self.id, LightReport(on: true, brightness: 100, color: .temperature(mired: 286), reachable: true)))
        #expect(home.deadline == .seconds(1))
    }

    @Test("ignores answers from another device, and keeps a light's address while the light answers")
    func foreignSource() throws {
        let there = IPv4Endpoint(address: 0x0A00_0063, port: 56700)
        var home = try Self.home()
        _ = home.takeActions()
        // Another device claims to be the light, so the light is queried.
        home.received(LIFXTests.answer(3, [1, 0x7C, 0xDD, 0, 0], number: 0), from: there, now: .seconds(1))
        let asked = home.takeActions()
        #expect(asked.count == 1)
        guard case .send(let bytes, Self.here, nil)? = asked.first else {
            Issue.record("\(asked)")
            return
        }
        let number = bytes[23]
        let dark = LIFXTests.state([0, 0, 1, 3500])
        home.received(LIFXTests.answer(107, dark, number: number), from: there, now: .seconds(1))
        home.received(LIFXTests.answer(223, [101, 0], number: number), from: there, now: .seconds(1))
        #expect(home.takeActions() == [])
        home.received(LIFXTests.answer(107, dark, number: number), from: Self.here, now: .seconds(1))
        #expect(home.takeActions().contains { if case .report = $0 { true } else { false } })
        // When the light no longer answers, the other address is tried.
        _ = try home.apply(LightCommand(on: true), to: Self.id, now: .seconds(2))
        for milliseconds in stride(from: 2000, through: 5000, by: 50) {
            home.timePassed(now: .milliseconds(milliseconds))
        }
        _ = home.takeActions()
        home.received(LIFXTests.answer(3, [1, 0x7C, 0xDD, 0, 0], number: 0), from: there, now: .seconds(6))
        guard case .send(_, there, nil)? = home.takeActions().first else {
            Issue.record("the light isn't queried at the other address")
            return
        }
    }

    @Test("ignores a device that has no light state")
    func notForeign() throws {
        var home = DatagramDeviceRegistry<WiZDevice>(looksFor: LANDevices(), session: 9)
        let here = IPv4Endpoint(address: 0x0A00_0007, port: 38899)
        func say(_ text: String, _ now: Duration) { home.received(Array(text.utf8), from: here, now: now) }
        say(#"{"method":"firstBeat","params":{"mac":"a8bb5006033d"}}"#, .zero)
        for tick in 1...40 {
            let now = Duration.milliseconds(100 * tick)
            say(#"{"method":"getSystemConfig","result":{"mac":"a8bb5006033d","moduleName":"ESP01_SHRGB_03"}}"#, now)
            say(#"{"method":"getPilot","error":{"code":-32601,"message":"Method not found"}}"#, now)
            home.timePassed(now: now)
        }
        let actions = home.takeActions()
        #expect(actions.contains(.ignored("a8bb5006033d")))
        #expect(actions.count < 10)
    }

    @Test("queries a device again later if it first answers with an error")
    func transientError() {
        var home = DatagramDeviceRegistry<WiZDevice>(looksFor: LANDevices(), session: 9)
        let here = IPv4Endpoint(address: 0x0A00_0007, port: 38899)
        func say(_ text: String, _ now: Duration) { home.received(Array(text.utf8), from: here, now: now) }
        var asked = 0
        func answer(_ pilot: String, _ now: Duration) {
            for case .send(let bytes, _, _) in home.takeActions() {
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains("getPilot") {
                    asked += 1
                    say(#"{"method":"getPilot",\#(pilot)}"#, now)
                } else if text.contains("getSystemConfig") {
                    say(
                        #"{"method":"getSystemConfig","result":{"mac":"a8bb5006033d","moduleName":"ESP10_SOCKET_06"}}"#,
                        now)
                } else {
                    say(#"{"method":"registration","result":{"mac":"a8bb5006033d","success":true}}"#, now)
                }
            }
        }
        say(#"{"method":"firstBeat","params":{"mac":"a8bb5006033d"}}"#, .zero)
        for tick in 0..<300 {
            answer(#""error":{"code":-32603,"message":"Internal error"}"#, .milliseconds(100 * tick))
            home.timePassed(now: .milliseconds(100 * tick))
        }
        #expect((2...10).contains(asked) && home.lights.isEmpty)
        for tick in 300..<600 {
            answer(#""result":{"state":true}"#, .milliseconds(100 * tick))
            home.timePassed(now: .milliseconds(100 * tick))
        }
        #expect(home.lights.count == 1)
    }

    @Test("ignores an answer to an earlier request")
    func late() throws {
        var home = try Self.home()
        _ = home.takeActions()
        home.received(LIFXTests.answer(107, LIFXTests.state([0, 0, 1, 3500]), number: 5), from: Self.here, now: .zero)
        #expect(home.takeActions() == [])
    }

    @Test("finishes a command after its last acknowledgment, and then queries the state")
    func command() throws {
        var home = try Self.home()
        _ = home.takeActions()
        let number = try home.apply(LightCommand(on: true, brightness: 50), to: Self.id, now: .seconds(1))
        #expect(Self.types(home.takeActions()) == [102])
        home.received(LIFXTests.answer(45, [], number: 6), from: Self.here, now: .seconds(1))
        #expect(Self.types(home.takeActions()) == [117])
        home.received(LIFXTests.answer(45, [], number: 7), from: Self.here, now: .seconds(1))
        let report = LightReport(on: true, brightness: 50, color: .temperature(mired: 286), reachable: true)
        #expect(home.takeActions() == [.finished(command: number, nil), .report(Self.id, report)])
        home.timePassed(now: .milliseconds(1299))
        #expect(home.takeActions() == [])
        home.timePassed(now: .milliseconds(1300))
        #expect(Self.types(home.takeActions()) == [101])
    }

    @Test("makes a light that doesn't answer unreachable, probes it, and finds it at a new address")
    func lost() throws {
        var home = try Self.home()
        _ = home.takeActions()
        let number = try home.apply(LightCommand(on: true), to: Self.id, now: .seconds(100))
        var actions = home.takeActions()
        var now = Duration.seconds(100)
        for _ in 0..<20 {
            now += .milliseconds(100)
            home.timePassed(now: now)
            actions += home.takeActions()
        }
        #expect(Self.types(actions) == [117, 117, 117, 117, 117, 117])
        #expect(actions.contains(.finished(command: number, .unreachable)))
        #expect(actions.last == .report(Self.id, LightReport(reachable: false)))
        #expect(throws: LightError.unreachable) {
            try home.apply(LightCommand(on: true), to: Self.id, now: now)
        }
        home.timePassed(now: .seconds(107))
        #expect(Self.types(home.takeActions()) == [101])
        home.timePassed(now: .seconds(108))
        #expect(home.takeActions() == [], "a probe is sent only once")
        // The light has moved to a new address.
        let there = IPv4Endpoint("10.0.0.99", port: 56700)!
        home.received(LIFXTests.answer(3, [1, 0x7C, 0xDD, 0, 0], number: 0), from: there, now: .seconds(109))
        guard case .send(let bytes, let target, _)? = home.takeActions().first else {
            Issue.record("the light isn't queried")
            return
        }
        #expect(target == there && bytes[32] == 101)
        let answer = LIFXTests.answer(107, LIFXTests.state([0, 0, .max, 3500]), number: bytes[23])
        home.received(answer, from: there, now: .seconds(109))
        let report = LightReport(on: true, brightness: 100, color: .temperature(mired: 286), reachable: true)
        // The light's group is queried again, because it may have changed.
        let actionsNow = home.takeActions()
        #expect(actionsNow.first == .report(Self.id, report) && Self.types(actionsNow) == [51])
    }

    @Test("counts unreadable messages only from known devices")
    func unreadable() throws {
        var home = try Self.home()
        home.received([1, 2, 3], from: Self.here, now: .zero)
        home.received([1, 2, 3], from: IPv4Endpoint(address: 0x0A00_0063, port: 56700), now: .zero)
        #expect(home.takeUnreadable() == 1 && home.takeUnreadable() == 0)
    }

    @Test("limits the number of devices, and forgets devices that don't answer queries")
    func unidentified() {
        var home = DatagramDeviceRegistry<LIFXDevice>(looksFor: LANDevices(), session: 9)
        for number in 0..<2000 {
            let id = LightID("d073d5" + String(format: "%06x", number))
            let bytes = LIFXMessage.bytes(
                type: 3, payload: [1, 0x7C, 0xDD, 0, 0], target: id, source: 9, number: 0, answer: 0)
            home.received(bytes, from: Self.here, now: .zero)
        }
        #expect(Self.types(home.takeActions()).count == DatagramDeviceRegistry<LIFXDevice>.maximumDevices)
        home.search(on: [], now: .zero)
        for tenths in 1...20 { home.timePassed(now: .milliseconds(100 * tenths)) }
        _ = home.takeActions()
        #expect(home.deadline == .seconds(1), "no device is left, so only the next search is due")
    }

    @Test(
        "rejects invalid keys with a remedy",
        arguments: [
            (#"{"hosts": ["lamp"]}"#, "not a valid address; use an address such as 10.0.0.7 or \"10.0.0.7:56700\""),
            (
                #"{"hosts": ["10.0.0.256"]}"#,
                "not a valid address; use an address such as 10.0.0.7 or \"10.0.0.7:56700\""
            ),
            (
                #"{"hosts": ["10.0.0.7:0"]}"#,
                "not a valid address; use an address such as 10.0.0.7 or \"10.0.0.7:56700\""
            ),
            (#"{"discover": false}"#, "no devices to search for; add discover: true or hosts: [10.0.0.7]"),
        ])
    func keys(text: String, problem: String) throws {
        let error = try #require(throws: ConfigurationProblem.self) {
            try JSONDecoder().decode(LIFXDriverConfiguration.self, from: Data(text.utf8))
        }
        #expect(error.description == problem)
    }

    @Test("searches this computer's networks by default, and also the configured hosts")
    func defaults() throws {
        func read(_ text: String) throws -> LANDevices {
            try JSONDecoder().decode(LIFXDriverConfiguration.self, from: Data(text.utf8)).devices
        }
        let host = try #require(IPv4Endpoint("10.0.0.7", port: 56700))
        #expect(try read("{}") == LANDevices(discover: true))
        #expect(try read(#"{"hosts": ["10.0.0.7", "10.0.0.7:56700"]}"#) == LANDevices(discover: true, hosts: [host]))
        #expect(try read(#"{"discover": false, "hosts": ["10.0.0.7"]}"#) == LANDevices(discover: false, hosts: [host]))
    }
}
