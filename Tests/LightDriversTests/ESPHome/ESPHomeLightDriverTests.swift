import DeviceKit
import Discovery
import FoundationEssentials
import HAPTesting
import Logging
import Synchronization
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The ESPHome driver", .timeout)
struct ESPHomeLightDriverTests {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func driver(
        _ devices: [FakeESPHome], browser: InMemoryBrowser? = nil, share: @escaping @Sendable () -> Double = { 0.05 }
    ) -> DeviceLightDriver<ESPHomeConnection> {
        let hosts = devices.map { ESPHomeHost(host: "127.0.0.1", port: $0.port) }
        let configuration = ESPHomeDriverConfiguration(discover: browser != nil, hosts: hosts)
        return DeviceLightDriver(
            configuration.selection, options: configuration, connection: ESPHomeConnection(), logger: logger,
            share: share
        ) { browser ?? InMemoryBrowser() }
    }

    static func snapshot(_ device: FakeESPHome) -> ServiceSnapshot {
        let address = ServiceAddress(bytes: [127, 0, 0, 1], interface: 1, interfaceName: "lo")
        return ServiceSnapshot(
            services: [
                DiscoveredService(
                    id: .init(name: "den", host: "den.local"), port: UInt16(device.port), txt: [:],
                    addresses: address.map { [$0] } ?? [])
            ], isComplete: true)
    }

    static let good: LightID = "AABBCCDDEE01/shelf"

    @Test("meets the driver contract")
    func contract() async throws {
        let good = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:01")
        let lost = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:02", .hangsUp)
        let silent = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:03", .ignoresCommands)
        let mute = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:04", .mute)
        let driver = Self.driver([lost, silent, mute, good])
        let contract = DriverContract(
            goodLight: Self.good, lostLight: "AABBCCDDEE02/shelf", silentLight: "AABBCCDDEE03/shelf"
        ) { driver }
        let violations = try await contract.violations()
        #expect(violations == [])
    }

    @Test("finds a device again at another port, a hundred times")
    func restarts() async throws {
        let device = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:01")
        let browser = InMemoryBrowser(Self.snapshot(device))
        let driver = Self.driver([], browser: browser)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: Self.good) { $0.reachable == true && $0.on == false })
            for turn in 1...100 {
                try await device.unplug()
                try #require(
                    await host.wait { calls in
                        calls.count { if case .report(_, let report) = $0 { report.reachable == false } else { false } }
                            == turn
                    })
                try await device.restart()
                browser.show(Self.snapshot(device))
                try #require(await host.wait(for: Self.good) { $0.reachable == true })
            }
            try await driver.apply(LightCommand(on: true), to: Self.good)
            #expect(await host.wait(for: Self.good) { $0.on == true })
            #expect(host.calls.count { if case .added = $0 { true } else { false } } == 1)
        }
    }

    @Test("counts an invalid value and keeps the last valid value")
    func invalid() async throws {
        let device = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:01")
        try await SimulatedLightDriverTests.running(Self.driver([device])) { host in
            try #require(await host.wait(for: Self.good) { $0.on == false })
            device.turn(on: true, brightness: .nan)
            #expect(await host.wait(for: Self.good) { $0.on == true && $0.brightness == 100 })
            #expect(host.dropped == [.invalid: 1])
        }
    }

    @Test("rarely wakes up while nothing happens")
    func idle() async throws {
        let device = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:01")
        // The driver calls this function each time it wakes up.
        let looks = Mutex(0)
        let driver = Self.driver([device]) {
            looks.withLock { $0 += 1 }
            return 0.05
        }
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: Self.good) { $0.reachable == true })
            let before = looks.withLock { $0 }
            try await Task.sleep(for: .milliseconds(300))
            #expect(looks.withLock { $0 } - before < 20)
        }
    }

    @Test("serves other devices while one of them sends a flood of messages")
    func flood() async throws {
        let good = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:01")
        let loud = try await FakeESPHome(mac: "AA:BB:CC:DD:EE:02", .floods)
        let driver = Self.driver([loud, good])
        // The flood never ends, but the other device must still be served within the default time limits.
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: Self.good) { $0.on == false })
            try #require(await host.wait(for: "AABBCCDDEE02/shelf") { $0.reachable == true })
            try await driver.apply(LightCommand(on: true), to: Self.good)
            #expect(await host.wait(for: Self.good) { $0.on == true })
        }
    }

    // MARK: Configuration

    static func configuration(_ text: String) throws -> ESPHomeDriverConfiguration {
        try JSONDecoder().decode(ESPHomeDriverConfiguration.self, from: Data(text.utf8))
    }

    @Test("reads all keys")
    func keys() throws {
        #expect(try Self.configuration("{}") == ESPHomeDriverConfiguration())
        #expect(
            try Self.configuration(
                """
                {"discover": true, "switches": true, "hosts": [{"host": "10.0.0.5"}, {"host": "lamp.local", "port": 16053,
                 "key-file": "/etc/lamplighter/x.key"}], "devices": {"kitchen": {"key-file": "/k"}}}
                """)
                == ESPHomeDriverConfiguration(
                    hosts: [
                        ESPHomeHost(host: "10.0.0.5"),
                        ESPHomeHost(host: "lamp.local", port: 16053, keyFile: "/etc/lamplighter/x.key"),
                    ], devices: ["kitchen": ESPHomeDeviceKeys(keyFile: "/k")], switches: true))
    }

    @Test(
        "rejects invalid values with a remedy",
        arguments: [
            (#"{"discover": false}"#, "discover: true"), (#"{"hosts": [{"host": ""}]}"#, "10.0.0.5"),
            (#"{"hosts": [{"host": "http://x"}]}"#, "10.0.0.5"), (#"{"hosts": [{"host": "x", "port": 0}]}"#, "6053"),
            (#"{"hosts": [{"host": "x"}, {"host": "x"}]}"#, "remove one"),
            (#"{"hosts": [{"host": "x", "key-file": "x.key"}]}"#, "/etc/lamplighter/NAME.key"),
            (#"{"discover": false, "hosts": [{"host": "x"}], "devices": {"a": {"key-file": "/x"}}}"#, "discover: true"),
        ])
    func wrongKeys(text: String, remedy: String) throws {
        let error = try #require(throws: ConfigurationProblem.self) { try Self.configuration(text) }
        #expect(error.remedy.contains(remedy))
    }
}
