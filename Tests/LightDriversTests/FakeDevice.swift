import BoundedJSON
import LightDrivers
import Synchronization
import TestTimeouts
import Testing

/// A lamp with its own connection to the broker.
///
/// It announces itself, accepts commands and reports its state.
final class FakeDevice: Sendable {
    struct NoBroker: Error {}

    private struct State {
        var lamp: JSONObject = ["state": "OFF", "brightness": 255]
        var received: [MQTTMessage] = []
    }

    let client: MosquittoClient
    let id: String
    private let state = Mutex(State())
    private let events: AsyncStream<Void>
    private let work: Mutex<Task<Void, Never>?> = Mutex(nil)

    static func settings(_ port: UInt16, clientID: String) throws -> MQTTConnectionSettings {
        MQTTConnectionSettings(address: try BrokerAddress("mqtt://127.0.0.1:\(port)"), clientID: clientID)
    }

    /// Connects and subscribes to `ID/set`.
    init(_ settings: MQTTConnectionSettings, id: String) async throws {
        self.id = id
        let (events, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.events = events
        client = MosquittoClient(settings: settings) { signal.yield() }
        let (ready, isReady) = AsyncStream.makeStream(of: Bool.self)
        client.start()
        let task = Task { [weak self, client] in
            for await _ in events {
                for event in client.takeEvents() {
                    switch event {
                    case .connected: try? client.subscribe(to: "\(id)/#", qos: 0)
                    case .subscribed: isReady.yield(true)
                    case .message(let topic, let payload, _): self?.received(topic, payload)
                    case .closed: isReady.yield(false)
                    case .tooLong, .dropped, .loginRefused: break
                    }
                }
            }
        }
        work.withLock { $0 = task }
        for await connected in ready {
            guard connected else { throw NoBroker() }
            break
        }
    }

    deinit {
        client.stop()
        work.withLock { $0 }?.cancel()
    }

    /// Publishes an announcement of a `json` lamp with color, color temperature and brightness.
    func announce(retain: Bool = true) async throws {
        let announcement = """
            {"~": "\(id)", "name": null, "uniq_id": "\(id)-uid", "schema": "json", "cmd_t": "~/set", "stat_t": "~/state",
             "avty_t": "~/status", "brightness": true, "sup_clrm": ["color_temp", "hs"], "min_mirs": 153, "max_mirs": 454,
             "dev": {"ids": ["\(id)"], "name": "Den lamp", "mf": "Example"}}
            """
        try await publish("homeassistant/light/\(id)/config", announcement, retain: retain)
        try await publish("\(id)/status", "online", retain: retain)
        try await tell(retain: retain)
    }

    func tell(retain: Bool = true) async throws {
        try await publish("\(id)/state", JSONValue.object(state.withLock { $0.lamp }).text, retain: retain)
    }

    func publish(_ topic: String, _ text: String, retain: Bool = false) async throws {
        try await client.publish(MQTTMessage(topic: topic, text: text, qos: 1, retain: retain))
    }

    /// The messages on `ID/set`.
    var commands: [String] {
        state.withLock { $0.received }.filter { $0.topic == "\(id)/set" }
            .map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// All received messages.
    var received: [MQTTMessage] { state.withLock { $0.received } }

    /// Waits until the received messages meet a condition.
    func wait(until isMet: ([MQTTMessage]) -> Bool) async throws {
        try await eventually("what \(id) receives") { isMet(state.withLock { $0.received }) }
    }

    private func received(_ topic: String, _ payload: [UInt8]) {
        let answer = state.withLock { state -> String? in
            state.received.append(MQTTMessage(topic: topic, payload: payload))
            guard topic == "\(id)/set", let object = (try? JSONValue(parsing: payload))?.object else { return nil }
            for member in object.members where member.name != "transition" {
                state.lamp[member.name] = member.value
                if member.name == "color" { state.lamp["color_mode"] = "hs" }
                if member.name == "color_temp" { state.lamp["color_mode"] = "color_temp" }
            }
            return JSONValue.object(state.lamp).text
        }
        if let answer { try? client.send(MQTTMessage(topic: "\(id)/state", text: answer, retain: true)) }
    }
}
