import BoundedJSON
import DeviceKit

extension MQTTLight {
    /// Returns whether a message on a state topic of this light is invalid.
    ///
    /// A message about another light is valid, because several lights often share a topic.
    func isUnreadable(topic: String, _ payload: MQTTPayload) -> Bool {
        guard !payload.bytes.isEmpty, settings.stateTopics.contains(topic) else { return false }
        guard payload.text != nil else { return true }
        // Read the message with a copy, because the light itself also reads it, and template failures must be counted
        // only once.
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

    /// Returns whether a message on the power topic means neither on nor off.
    mutating func isUnreadablePower(topic: String, _ payload: MQTTPayload) -> Bool {
        text(settings.power, topic, payload).map { $0 != settings.stateOn && $0 != settings.stateOff } ?? false
    }
}
