import BoundedJSON
import DeviceKit

extension MQTTLight {
    /// Whether a message on a topic that tells the state is none that it could be.
    ///
    /// One that says nothing of this light is none of these: several often share a topic.
    func isUnreadable(topic: String, _ payload: MQTTPayload) -> Bool {
        guard !payload.bytes.isEmpty, settings.stateTopics.contains(topic) else { return false }
        guard payload.text != nil else { return true }
        // The failures of this copy don't count: the light itself reads the message, too.
        var light = self
        switch settings.schema {
        case .json: return payload.json?.object == nil
        case .template: return false
        case .component(let component): return component.isUnreadable(topic: topic, payload, by: &light)
        case .basic:
            if light.isUnreadablePower(topic: topic, payload) { return true }
            return light.text(settings.brightness, topic, payload).map { $0.plainNumber == nil } ?? false
        }
    }

    /// Whether a message on the topic of the power says neither on nor off.
    mutating func isUnreadablePower(topic: String, _ payload: MQTTPayload) -> Bool {
        text(settings.power, topic, payload).map { $0 != settings.stateOn && $0 != settings.stateOff } ?? false
    }
}
