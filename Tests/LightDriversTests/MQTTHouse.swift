import DeviceKit

@testable import LightDrivers

/// A registry with a connected broker, and all actions that it has requested.
struct MQTTHouse {
    var home: MQTTDeviceRegistry
    var now = Duration.zero
    var actions: [MQTTAction] = []

    init(
        _ home: MQTTDeviceRegistry = MQTTDeviceRegistry(prefix: "homeassistant", lights: []),
        kinds: Set<LightKind> = [.light, .switch, .outlet], known: [LightID] = [],
        knownKinds: [LightID: LightKind] = [:]
    ) {
        self.home = home
        take(self.home.started(kinds: kinds, known: known, knownKinds: knownKinds))
        take(self.home.connected())
    }

    @discardableResult
    mutating func take(_ new: [MQTTAction]) -> [MQTTAction] {
        actions += new
        return new
    }

    @discardableResult
    mutating func receives(_ topic: String, _ payload: [UInt8]) -> [MQTTAction] {
        take(home.received(topic: topic, payload: payload, now: now))
    }

    /// Receives a text message, at the given time in seconds if it isn't `nil`.
    @discardableResult
    mutating func receives(_ topic: String, _ text: String, at seconds: Int? = nil) -> [MQTTAction] {
        if let seconds { now = .seconds(seconds) }
        return receives(topic, Array(text.utf8))
    }

    /// Receives the announcement of a light.
    @discardableResult
    mutating func announces(_ name: String, _ keys: String) -> [MQTTAction] {
        receives("homeassistant/light/\(name)/config", "{\"cmd_t\": \"\(name)/set\", \(keys)}")
    }

    @discardableResult
    mutating func pass(_ seconds: Int) -> [MQTTAction] { take(home.timePassed(now: .seconds(seconds))) }

    /// Returns the messages for a command, each in the form `topic payload`.
    mutating func sends(_ command: LightCommand, to id: LightID) throws -> [String] {
        MQTTLightTests.text(try home.messages(for: command, to: id, now: .zero))
    }

    var added: [LightDescription] { actions.added }
    var removed: [LightID] { actions.compactMap { if case .removed(let id) = $0 { id } else { nil } } }
    var subscribed: Set<String> {
        Set(actions.compactMap { if case .subscribe(let topic, _) = $0 { topic } else { nil } })
    }
    var warnings: [String] { actions.warnings }

    /// The last reported values of each light.
    var states: [LightID: LightReport] {
        var states: [LightID: LightReport] = [:]
        for case .report(let id, let report) in actions { states[id, default: LightReport()].merge(report) }
        return states
    }
}

extension [MQTTAction] {
    /// The last description of each light.
    var added: [LightDescription] {
        var added: [LightDescription] = []
        for case .added(let light) in self {
            added.removeAll { $0.id == light.id }
            added.append(light)
        }
        return added
    }

    var warnings: [String] { compactMap { if case .warn(let text?, _) = $0 { text } else { nil } } }
}

// Tests write payloads as bytes.

extension MQTTDeviceRegistry {
    mutating func received(topic: String, payload: [UInt8], now: Duration) -> [MQTTAction] {
        received(topic: topic, payload: MQTTPayload(payload), now: now)
    }
}

extension MQTTLight {
    mutating func received(topic: String, payload: [UInt8]) -> [LightReport] {
        received(topic: topic, payload: MQTTPayload(payload))
    }
}

extension Availability {
    mutating func received(topic: String, payload: [UInt8]) { received(topic: topic, payload: MQTTPayload(payload)) }
}

extension DiscoveryPayload {
    init(_ payload: [UInt8], isDevice: Bool) throws(MQTTProblem) {
        try self.init(MQTTPayload(payload), isDevice: isDevice)
    }
}
