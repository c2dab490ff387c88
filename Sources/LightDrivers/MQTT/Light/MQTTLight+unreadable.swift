import BoundedJSON
import LightKit

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
        case .basic, .fan:
            if let text = light.text(settings.power, topic, payload), text != settings.stateOn,
                text != settings.stateOff
            {
                return true
            }
            return light.text(settings.brightness, topic, payload).map { $0.plainNumber == nil } ?? false
        case .sensor(let sensor):
            guard let text = light.text(settings.power, topic, payload), !text.allSatisfy(\.isWhitespace) else {
                return false
            }
            return value(text, sensor) == nil
        }
    }
}
