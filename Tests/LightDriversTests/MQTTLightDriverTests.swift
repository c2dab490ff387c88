import DeviceKit
import Foundation
import HAPTesting
import Logging
import TestTimeouts
import Testing

@testable import LightDrivers

/// Tests with a real mosquitto.
@Suite("The MQTT driver with a real broker", .requires("mosquitto", "mosquitto_passwd", "openssl"), .timeout)
struct MQTTLightDriverTests {
    static func driver(
        _ port: UInt16, _ keys: String = "", clientID: String = "lamplighter-\(UUID().uuidString.prefix(8))"
    ) throws -> MQTTLightDriver {
        let text = """
            {"url": "mqtt://127.0.0.1:\(port)", "discovery": {"home-assistant": "homeassistant"}\(keys)}
            """
        var configuration = try JSONDecoder().decode(MQTTDriverConfiguration.self, from: Data(text.utf8))
        configuration.connection.clientID = clientID
        // The next attempt starts within 1.5 s.
        return MQTTLightDriver(configuration: configuration, logger: Logger(label: "test")) { 0.025 }
    }

    static func device(_ broker: Mosquitto, _ id: String = "den") async throws -> FakeDevice {
        try await FakeDevice(try FakeDevice.settings(broker.port, clientID: "device-\(id)"), id: id)
    }

    @Test("counts messages that are too long or unreadable, and keeps the light")
    func dropped() async throws {
        let broker = try await Mosquitto()
        let lamp = try await Self.device(broker)
        try await lamp.announce()
        let driver = try Self.driver(broker.port)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "den-uid") { $0.reachable == true && $0.on == false })
            try await lamp.publish("den/state", "nonsense")
            try await lamp.publish("den/state", String(repeating: " ", count: MQTTLimits.payload + 1))
            try await lamp.publish("den/state", #"{"state":"ON"}"#)
            try #require(await host.wait(for: "den-uid") { $0.on == true })
            #expect(await host.wait { $0.contains { if case .warn(_?, "den/state") = $0 { true } else { false } } })
            #expect(host.dropped == [.unreadable: 1, .overflow: 1])
        }
    }

    @Test("finds a lamp, commands it and reads its states")
    func roundTrip() async throws {
        let broker = try await Mosquitto()
        let lamp = try await Self.device(broker)
        try await lamp.announce()
        let driver = try Self.driver(broker.port)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "den-uid") { $0.reachable == true && $0.on == false })
            guard case .added(let light) = host.calls.first(where: { if case .added = $0 { true } else { false } })
            else { return }
            #expect(light.name == "Den lamp" && light.manufacturer == "Example" && light.serialNumber == "den")
            #expect(
                light.capabilities
                    == LightCapabilities(brightness: true, color: true, temperature: 153...454, transition: true))

            try await driver.apply(
                LightCommand(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80)), to: "den-uid")
            let notified = await host.wait(for: "den-uid") {
                $0.on == true && $0.brightness == 50 && $0.color == .hueSaturation(hue: 30, saturation: 80)
            }
            #expect(notified)
            #expect(lamp.commands == [#"{"state":"ON","color":{"h":30,"s":80},"brightness":128}"#])

            try await lamp.publish("den/state", #"{"brightness": 26, "color_mode": "color_temp", "color_temp": 300}"#)
            #expect(await host.wait(for: "den-uid") { $0.brightness == 10 && $0.color == .temperature(mired: 300) })
            try await lamp.publish("den/status", "offline")
            #expect(await host.wait(for: "den-uid") { $0.reachable == false })
            await #expect(throws: LightError.unreachable) {
                try await driver.apply(LightCommand(on: true), to: "den-uid")
            }
        }
    }

    @Test("meets the driver contract")
    func contract() async throws {
        let broker = try await Mosquitto()
        let lamp = try await Self.device(broker, "good")
        try await lamp.announce()
        let lost = try await Self.device(broker, "lost")
        try await lost.announce()
        try await lost.publish("lost/status", "offline", retain: true)
        let port = broker.port
        let contract = DriverContract(goodLight: "good-uid", lostLight: "lost-uid") { try Self.driver(port) }
        #expect(try await contract.violations() == [])
    }

    @Test("reports the commanded state of a light without a state topic, with QoS 0 and 1", arguments: [0, 1])
    func optimistic(qos: Int) async throws {
        let broker = try await Mosquitto()
        let driver = try Self.driver(
            broker.port,
            """
            , "lights": [{"id": "shelf", "name": "Shelf", "command_topic": "shelf/set", "qos": \(qos),
                          "brightness_command_topic": "shelf/dim"}]
            """)
        let shelf = try await Self.device(broker, "shelf")
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "shelf") { $0.reachable == true })
            try await driver.apply(LightCommand(on: true, brightness: 20), to: "shelf")
            #expect(await host.wait(for: "shelf") { $0.on == true && $0.brightness == 20 })
            try await shelf.wait { $0.count == 2 }
        }
        try await shelf.wait { messages in
            messages == [.init(topic: "shelf/dim", text: "51"), .init(topic: "shelf/set", text: "ON")]
        }
    }

    @Test("recovers after a restart of the broker, with lights unreachable in the meantime")
    func brokerRestarts() async throws {
        let broker = try await Mosquitto()
        var lamp = try await Self.device(broker)
        try await lamp.announce()
        let driver = try Self.driver(broker.port)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "den-uid") { $0.reachable == true && $0.on == false })
            broker.stop()
            try #require(
                await host.wait { calls in
                    calls.contains { if case .state(.degraded) = $0 { true } else { false } }
                })
            let start = ContinuousClock.now
            await #expect(throws: LightError.unreachable) {
                try await driver.apply(LightCommand(on: true), to: "den-uid")
            }
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(await host.wait(for: "den-uid") { $0.reachable == false })
            try await broker.restart()
            lamp = try await Self.device(broker)
            try await lamp.announce()
            #expect(await host.wait(for: "den-uid") { $0.reachable == true })
            try await driver.apply(LightCommand(on: true), to: "den-uid")
            #expect(await host.wait(for: "den-uid") { $0.on == true })
            #expect(!host.calls.contains { if case .removed = $0 { true } else { false } })
        }
    }

    @Test("makes the broker report a bridge that vanishes as offline")
    func will() async throws {
        let broker = try await Mosquitto()
        let watcher = try await Self.device(broker, "lamplighter")
        let driver = try Self.driver(broker.port, clientID: "bridge")
        try await SimulatedLightDriverTests.running(driver) { _ in
            try await watcher.wait { $0.last?.payload == Array("online".utf8) }
            // Connect a second client with the same id, which makes the broker close the first connection.
            let other = FirstEvent(try FakeDevice.settings(broker.port, clientID: "bridge"))
            #expect(await other.event() == .connected)
            try await watcher.wait { $0.contains { $0.payload == Array("offline".utf8) } }
        }
    }

    @Test("announces itself to producers only if configured", arguments: [true, false])
    func birth(isWanted: Bool) async throws {
        let broker = try await Mosquitto()
        let producer = try await Self.device(broker, "homeassistant")
        let driver = try Self.driver(broker.port, isWanted ? #", "announce": true"# : "")
        try producer.client.subscribe(to: "lamplighter/#", qos: 0)
        try await SimulatedLightDriverTests.running(driver) { _ in
            try await producer.wait { messages in
                let online = messages.filter { $0.payload == Array("online".utf8) }.map(\.topic)
                return online.contains { $0.hasPrefix("lamplighter/") }
                    && (!isWanted || online.contains("homeassistant/status"))
            }
        }
        // The status "offline" is the last message that the driver sends.
        try await producer.wait { $0.contains { $0.payload == Array("offline".utf8) } }
        #expect(producer.received.contains(MQTTMessage(topic: "homeassistant/status", text: "online")) == isWanted)
    }

    @Test("restores a light after a canceled identification")
    func identifyCancelled() async throws {
        let broker = try await Mosquitto()
        let lamp = try await Self.device(broker)
        try await lamp.announce()
        let driver = try Self.driver(broker.port)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "den-uid") { $0.reachable == true && $0.on == false })
            let blinking = Task { try await driver.identify("den-uid") }
            try await lamp.wait { _ in lamp.commands == [#"{"state":"ON"}"#] }
            blinking.cancel()
            try await blinking.value
            try await lamp.wait { _ in lamp.commands == [#"{"state":"ON"}"#, #"{"state":"OFF"}"#] }
        }
    }

    @Test("limits the number of commands that wait for a broker that hangs")
    func outstanding() async throws {
        let broker = try await Mosquitto()
        let client = FirstEvent(try FakeDevice.settings(broker.port, clientID: "x"))
        try #require(await client.event() == .connected)
        broker.freeze()
        let command = MQTTMessage(topic: "lamp/set", text: "ON", qos: 1)
        for _ in 0..<MQTTLimits.outstanding { try client.client.send(command) }
        #expect(throws: MosquittoClient.Failure.busy) { try client.client.send(command) }
    }

    @Test("ends an unanswered command when the broker dies or the task is canceled")
    func unanswered() async throws {
        let broker = try await Mosquitto()
        let first = FirstEvent(try FakeDevice.settings(broker.port, clientID: "x"))
        try #require(await first.event() == .connected)
        broker.freeze()
        let client = first.client
        let command = MQTTMessage(topic: "lamp/set", text: "ON", qos: 1)
        // An immediate task runs to its first suspension, so both commands have been sent after these lines.
        let cancelled = Task.immediate { try await client.publish(command) }
        let lost = Task.immediate { try await client.publish(command) }
        cancelled.cancel()
        await #expect(throws: MosquittoClient.Failure.cancelled) { try await cancelled.value }
        broker.stop()
        await #expect(throws: MosquittoClient.Failure.notConnected) { try await lost.value }
    }

    @Test("reports a wrong password without printing it")
    func wrongPassword() async throws {
        let broker = try await Mosquitto { directory in
            try Mosquitto.run("/usr/bin/mosquitto_passwd", ["-b", "-c", "users", "anna", "right"], in: directory)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: directory.appending(path: "users").path)
            return "password_file \(directory.path)/users"
        }
        let file = broker.directory.appending(path: "password")
        try "wrong\n".write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let driver = try Self.driver(broker.port, #", "user": "anna", "password-file": "\#(file.path)""#)
        let host = RecordingLightHost()
        let run = Task { try await driver.run(host: host) }
        #expect(
            await host.wait { calls in
                calls.contains { call in
                    guard case .state(.degraded(let text)) = call else { return false }
                    return text.contains("check user and password-file") && !text.contains("wrong")
                }
            })
        // The next attempt reads the file again.
        try "right\n".write(to: file, atomically: false, encoding: .utf8)
        #expect(await host.wait { $0.contains(.state(.running)) })
        run.cancel()
        _ = await run.result
    }

    @Test("connects over TLS with a private authority, and only to the configured host")
    func tls() async throws {
        let broker = try await Mosquitto { directory in
            let subject = ["-nodes", "-newkey", "rsa:2048", "-days", "2"]
            try Mosquitto.run(
                "/usr/bin/openssl",
                ["req", "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority"] + subject,
                in: directory)
            try Mosquitto.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", "key.pem", "-out", "cert.pem",
                    "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=CA:FALSE",
                ] + subject,
                in: directory)
            for file in ["ca.pem", "cert.pem", "key.pem"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: directory.appending(path: file).path)
            }
            let path = directory.path
            return "allow_anonymous true\ncafile \(path)/ca.pem\ncertfile \(path)/cert.pem\nkeyfile \(path)/key.pem"
        }
        let authority = broker.directory.appending(path: "ca.pem").path
        for (host, ca, isTaken) in [
            ("localhost", authority, true), ("127.0.0.1", authority, false), ("localhost", nil, false),
        ] {
            let client = FirstEvent(
                MQTTConnectionSettings(
                    address: try BrokerAddress("mqtts://\(host):\(broker.port)"), clientID: "tls", caFile: ca))
            let event = await client.event()
            if isTaken {
                #expect(event == .connected)
            } else {
                guard case .closed(let reason) = event else {
                    Issue.record("\(event) with \(host)")
                    continue
                }
                #expect(reason.contains("TLS failed") && reason.contains("certificate verify failed"))
            }
        }
    }

    @Test("suggests another port or URL if a broker doesn't use TLS")
    func plainBroker() async throws {
        let broker = try await Mosquitto()
        let url = "mqtts://127.0.0.1:\(broker.port)"
        let client = FirstEvent(MQTTConnectionSettings(address: try BrokerAddress(url), clientID: "x"))
        guard case .closed(let reason) = await client.event() else {
            Issue.record("connected")
            return
        }
        #expect(reason.contains("doesn't seem to use TLS"))
    }

    @Test("reports a broker that is missing or whose name can't be resolved")
    func noBroker() async throws {
        let broker = try await Mosquitto()
        broker.stop()
        for (url, text) in [
            ("mqtt://127.0.0.1:\(broker.port)", "Connection refused"),
            ("mqtt://no-such-host.invalid", "can't be resolved"),
        ] {
            let client = FirstEvent(MQTTConnectionSettings(address: try BrokerAddress(url), clientID: "x"))
            guard case .closed(let reason) = await client.event() else {
                Issue.record("connected")
                continue
            }
            #expect(reason.contains(text))
        }
    }
}

/// A connection that records its first event.
final class FirstEvent: Sendable {
    let client: MosquittoClient
    private let events: AsyncStream<Void>

    init(_ settings: MQTTConnectionSettings) {
        let (events, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.events = events
        client = MosquittoClient(settings: settings) { signal.yield() }
        client.start()
    }

    deinit { client.stop() }

    func event() async -> MQTTEvent {
        for await _ in events {
            if let event = client.takeEvents().first { return event }
        }
        return .closed("cancelled")
    }
}

@Suite("Pacing of a gateway")
struct GatewayPacingTests {
    @Test("sends commands to a gateway 20 ms apart, with a wait of at most 1.5 s")
    func paces() {
        var pacing = GatewayPacing()
        #expect(
            (0..<4).map { _ in pacing.wait(for: "zigbee2mqtt", now: .seconds(1)) }
                == [0, 20, 40, 60].map(Duration.milliseconds))
        #expect(pacing.wait(for: "other", now: .seconds(1)) == .zero)
        #expect(pacing.wait(for: nil, now: .seconds(1)) == .zero)
        #expect(pacing.wait(for: "zigbee2mqtt", now: .seconds(1) + .milliseconds(70)) == .milliseconds(10))
        #expect(pacing.wait(for: "zigbee2mqtt", now: .seconds(9)) == .zero)
        for _ in 0..<1000 { #expect(pacing.wait(for: "zigbee2mqtt", now: .seconds(9)) <= GatewayPacing.longestWait) }
    }

    @Test(
        "derives the gateway from the availability topic",
        arguments: [
            (#"{"t":"zigbee2mqtt/bridge/state","val_tpl":"{{ value_json.state }}"}"#, "zigbee2mqtt" as String?),
            (#"{"t":"tele/lamp/LWT"}"#, nil),
        ])
    func gateway(entry: String, gateway: String?) {
        var home = MQTTDeviceRegistry(prefix: "homeassistant", lights: [])
        let message = #"{"uniq_id":"a","cmd_t":"a/set","avty":[\#(entry)]}"#
        _ = home.received(topic: "homeassistant/light/a/config", payload: MQTTPayload(Array(message.utf8)), now: .zero)
        #expect(home.gateway(of: "a") == gateway)
    }
}
