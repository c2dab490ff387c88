import DeviceKit
import Foundation
import LightDrivers
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The connection to a broker", .timeout)
struct BrokerTests {
    @Test(
        "parses broker addresses",
        arguments: [
            ("mqtt://127.0.0.1", "127.0.0.1", 1883, false), ("mqtts://broker.local", "broker.local", 8883, true),
            ("mqtt://h:1", "h", 1, false), ("mqtt://[::1]:1884", "::1", 1884, false),
            ("mqtts://[fe80::1%eth0]", "fe80::1%eth0", 8883, true),
            ("mqtt://h:1883/", "h", 1883, false),
        ] as [(String, String, UInt16, Bool)])
    func addresses(url: String, host: String, port: UInt16, tls: Bool) throws {
        let address = try BrokerAddress(url)
        #expect(address.host == host && address.port == port && address.tls == tls)
    }

    @Test(
        "rejects an invalid address with a remedy, and doesn't print the address",
        arguments: [
            ("", "use mqtt://"), ("http://h", "use mqtt://"), ("mqtt://", "missing"), ("mqtt://h:0", "1 to 65535"),
            ("mqtt://h:65536", "1 to 65535"), ("mqtt://h:+1", "1 to 65535"), ("mqtt://h:", "1 to 65535"),
            ("mqtt://::1", "brackets"),
            ("mqtt://[::1", "closing bracket"), ("mqtt://[::1]x", "ADDRESS"), ("mqtt://u:s3cret@h", "password-file"),
            ("mqtt://s3cret@h", "set user"),
            ("mqtt://h/topic", "after the port"), ("mqtt://h h", "not valid"), ("mqtt://[]", "missing"),
        ])
    func noAddresses(url: String, text: String) throws {
        let problem = try #require(throws: BrokerAddress.Problem.self) { try BrokerAddress(url) }
        let sentence = "\(problem.problem); \(problem.remedy)"
        #expect(sentence.contains(text) && !sentence.contains("s3cret"))
    }

    @Test("backs off from a broker that keeps closing connections, and retries soon after a stable connection")
    func flapping() {
        var session = MQTTSession(statusTopic: "status")
        let delays = (0..<4).map { _ in
            session.connected(now: .seconds(1))
            return session.closed(now: .seconds(2), share: 1) / .seconds(1)
        }
        #expect(delays == [1, 2, 4, 8])
        session.connected(now: .seconds(100))
        #expect(session.closed(now: .seconds(110), share: 1) == .seconds(1))
        #expect(session.reconnectAt == .seconds(111))
    }

    @Test("retries after 1 to 5 minutes if the broker rejects the password, or at once when the file changes")
    func refusedPassword() {
        var session = MQTTSession(statusTopic: "status")
        let delays = (0..<4).map { _ in
            session.connecting(now: .zero)
            session.loginRefused()
            return session.closed(now: .zero, share: 0) / .seconds(1)
        }
        #expect(delays == [60, 120, 240, 300] && session.isLoginRefused)
        session.passwordChanged(now: .seconds(5))
        #expect(session.reconnectAt == .seconds(5))
        session.connecting(now: .seconds(5))
        #expect(session.closed(now: .seconds(6), share: 0) == .zero)
    }

    @Test("reports once that a connection attempt has had no answer for 10 seconds")
    func slowTry() {
        var session = MQTTSession(statusTopic: "status")
        session.connecting(now: .seconds(5))
        #expect(session.slowAt == .seconds(15) && !session.takeSlow(now: .seconds(14)))
        #expect(session.takeSlow(now: .seconds(15)) && !session.takeSlow(now: .seconds(16)))
        session.connecting(now: .seconds(20))
        session.connected(now: .seconds(21))
        #expect(session.slowAt == nil)
        session.connecting(now: .seconds(30))
        _ = session.closed(now: .seconds(31), share: 1)
        #expect(session.slowAt == nil)
    }

    @Test("reports once that it is ready, when all initial subscriptions are answered")
    func ready() {
        var session = MQTTSession(statusTopic: "status")
        var isReady = [session.takeReady()]
        session.connected(now: .seconds(1))
        session.subscribing("a")
        session.subscribing("b")
        for topic in ["a", "b"] {
            _ = session.subscribed(topic, granted: true)
            isReady.append(session.takeReady())
        }
        session.subscribing("c")
        isReady.append(session.takeReady())
        #expect(isReady == [false, false, true, false])
    }

    @Test("reports once that a subscription is refused, and once when it is granted later")
    func refusedSubscription() {
        var session = MQTTSession(statusTopic: "status")
        session.connected(now: .seconds(1))
        session.subscribing("a")
        let notified = [false, false, true, true].map { session.subscribed("a", granted: $0) }
        #expect(notified == [true, nil, false, nil])
        let isReady = session.takeReady()
        #expect(isReady, "a refused subscription counts as answered")
        #expect((0..<100).compactMap { session.subscribed("\($0)", granted: false) }.count == 20)
    }

    @Test(
        "sanitizes and shortens text from peers",
        arguments: [
            ("lamp", "lamp"), ("a\u{1B}[2J\u{7F}", "a\\u{1B}[2J\\u{7F}"),
            ("\u{80}\u{9B}2J\u{9F}", "\\u{80}\\u{9B}2J\\u{9F}"), ("a\nb", "a\\nb"),
            ("\u{202E}pmal", "\\u{202E}pmal"), ("Lämpchen 灯", "Lämpchen 灯"),
            (String(repeating: "x", count: 1000), String(repeating: "x", count: 60)),
        ])
    func quoted(text: String, shown: String) {
        #expect(MQTTProblem.quoted(text) == shown)
    }

    @Test("derives a constant client id that differs between bridges and drivers")
    func clientID() {
        let id = MQTTClientID.make(bridge: "/var/lib/a", driver: "mqtt")
        #expect(id == MQTTClientID.make(bridge: "/var/lib/a", driver: "mqtt"))
        #expect(id != MQTTClientID.make(bridge: "/var/lib/b", driver: "mqtt"))
        #expect(id != MQTTClientID.make(bridge: "/var/lib/a", driver: "home"))
        #expect(id.hasPrefix("lamplighter-") && id.utf8.count == 28)
    }

    // MARK: The inbox

    private static func message(_ topic: String, _ text: String) -> MQTTEvent {
        .message(topic: topic, payload: Array(text.utf8))
    }

    @Test("keeps all messages in order while there is room")
    func inOrder() {
        var inbox = MQTTInbox(maximumMessages: 3, maximumBytes: 100)
        let events = [MQTTEvent.connected, Self.message("a", "1"), Self.message("a", "2"), Self.message("b", "1")]
        for event in events { inbox.add(event) }
        #expect(inbox.takeAll() == events)
        #expect(inbox.takeAll() == [])
    }

    @Test("keeps only the newest message of each topic when the inbox is full")
    func overflow() {
        var inbox = MQTTInbox(maximumMessages: 3, maximumBytes: 100)
        for number in 1...10 { inbox.add(Self.message("a", "\(number)")) }
        inbox.add(Self.message("b", "1"))
        inbox.add(Self.message("c", "1"))
        inbox.add(Self.message("d", "1"))
        inbox.add(Self.message("a", "11"))
        inbox.add(.closed("x"))
        #expect(
            inbox.takeAll() == [
                Self.message("a", "11"), Self.message("b", "1"), Self.message("c", "1"), .closed("x"), .dropped(11),
            ])
        inbox.add(Self.message("d", "2"))
        #expect(inbox.takeAll() == [Self.message("d", "2")])
    }

    @Test("keeps a waiting message if a newer message on the same topic doesn't fit")
    func longerNewest() {
        var inbox = MQTTInbox(maximumMessages: 100, maximumBytes: 10)
        inbox.add(Self.message("a", "12345"))
        inbox.add(Self.message("b", "12345"))
        inbox.add(Self.message("a", "123456789012"))
        #expect(inbox.takeAll() == [Self.message("a", "12345"), .dropped(2)])
    }

    @Test("reports the number of dropped messages in one event")
    func drops() {
        var inbox = MQTTInbox()
        for _ in 0..<1000 { inbox.drop() }
        inbox.add(Self.message("a", "1"))
        #expect(inbox.takeAll() == [Self.message("a", "1"), .dropped(1000)])
    }

    // MARK: The configuration

    private static func configuration(_ keys: String) throws -> MQTTDriverConfiguration {
        try JSONDecoder().decode(MQTTDriverConfiguration.self, from: Data("{\(keys)}".utf8))
    }

    private static let url = #""url": "mqtt://127.0.0.1""#

    @Test("reads a full configuration")
    func full() throws {
        let configuration = try Self.configuration(
            """
            "id": "home", "driver": "mqtt", "url": "mqtts://b", "user": "u", "password-file": "/p", "ca-file": "/ca",
            "client-certificate": "/c", "client-key": "/k", "client-id": "me", "announce": true,
            "discovery": {"home-assistant": "ha/x"},
            "lights": [{"id": "l", "name": "L", "schema": "json", "command_topic": "c", "state_topic": "s", "brightness": true,
                        "supported_color_modes": ["rgb"], "availability": [{"topic": "t", "payload_available": 1}]}]
            """)
        #expect(configuration.connection.address == (try BrokerAddress("mqtts://b:8883")))
        #expect(configuration.connection.clientID == "me" && configuration.connection.passwordFile == "/p")
        #expect(configuration.discoveryPrefix == "ha/x" && configuration.announce)
        let light = try #require(configuration.lights.first)
        #expect(light.description.id == "l" && light.description.name == "L" && light.description.capabilities.color)
        #expect(light.settings.availability.sources.first?.available == "1")
    }

    @Test("discovers lights by default, but not if discovery is empty")
    func discovery() throws {
        #expect(try Self.configuration(Self.url).discoveryPrefix == "homeassistant")
        #expect(try Self.configuration(Self.url).tasmotaPrefix == "tasmota/discovery")
        #expect(try Self.configuration(Self.url).zigbee2MQTTBase == "zigbee2mqtt")
        let none = try Self.configuration(Self.url + #", "discovery": {}"#)
        #expect(none.discoveryPrefix == nil && none.tasmotaPrefix == nil && none.zigbee2MQTTBase == nil)
    }

    @Test(
        "rejects an invalid configuration with a remedy",
        arguments: [
            (#""url": "mqtt://u:s3cret@h""#, "password-file"),
            (url + #", "discovery": {"tasmota": "/tasmota"}"#, "such as tasmota/discovery"),
            (url + #", "discovery": {"zigbee2mqtt": "z/+"}"#, "such as zigbee2mqtt"),
            (url + ##", "discovery": {"home-assistant": "a/#"}"##, "such as homeassistant"),
            (url + #", "password-file": "/x""#, "add user"), (url + #", "user": """#, "omit the key"),
            (url + #", "ca-file": "/x""#, "mqtts://"),
            (#""url": "mqtts://h", "client-key": "/x""#, "set both"), (url + #", "client-id": "a b""#, "1 to 64"),
            (url + #", "announce": true, "discovery": {}"#, "add discovery"),
            (
                url + #", "lights": [{"id": "a", "command_topic": "x"}, {"id": "a", "command_topic": "x"}]"#,
                "a different id"
            ),
            (url + #", "lights": [{"id": "a"}]"#, "command_topic is missing"),
            (url + #", "lights": [{"id": "", "command_topic": "x"}]"#, "1 to 255"),
            (url + #", "lights": [{"id": "a", "command_topic": "x", "retain": true}]"#, "omit retain"),
            (url + #", "lights": [{"id": "a", "name": "A\u0007", "command_topic": "x"}]"#, "control characters"),
            (
                url + #", "lights": [{"id": "a", "command_topic": "x", "schema": "template"}]"#,
                "command_on_template is missing"
            ),
            (
                url
                    + #", "lights": [{"id": "a", "command_topic": "x", "state_topic": "s", "state_value_template": "{{ now() }}"}]"#,
                "the function \"now\" isn't supported"
            ),
            (url + #", "lights": [{"id": "a", "command_topic": "x", "kind": "lamp"}]"#, "switch, outlet"),
        ])
    func mistakes(keys: String, text: String) throws {
        let error = try #require(throws: ConfigurationProblem.self) { try Self.configuration(keys) }
        #expect(error.description.contains(text) && !error.description.contains("s3cret"))
    }

    @Test("names the invalid key")
    func namesKey() throws {
        let error = try #require(throws: ConfigurationProblem.self) {
            try Self.configuration(Self.url + #", "lights": [{"id": "a", "command_topic": "x", "qos": 7}]"#)
        }
        #expect(error.codingPath.map(\.stringValue).last == "qos")
    }
}
