import DeviceKit

struct MQTTListeners {
    private var lights: [String: Set<LightID>] = [:]
    /// The subscribed topic filters that contain wildcards.
    private var wildcards: Set<TopicFilter> = []

    var topics: some Collection<String> { lights.keys }

    /// Returns the listeners of a subscribed topic or filter.
    subscript(topic: String) -> Set<LightID> { lights[topic] ?? [] }

    /// Returns the possible subscriptions that match a topic: the topic itself, and the subscribed filters with
    /// wildcards.
    func subscriptions(for topic: String) -> [String] {
        [topic] + wildcards.filter { $0.matches(topic) }.map(\.text)
    }

    mutating func insert(_ light: LightID, for topic: String) {
        if lights[topic, default: []].insert(light).inserted, let filter = TopicFilter(topic), filter.hasWildcard {
            wildcards.insert(filter)
        }
    }

    /// Removes a listener of a topic, and returns whether it was the topic's last listener.
    mutating func remove(_ light: LightID, for topic: String) -> Bool {
        guard lights[topic]?.remove(light) != nil, lights[topic]?.isEmpty == true else { return false }
        lights[topic] = nil
        if let filter = TopicFilter(topic) { wildcards.remove(filter) }
        return true
    }
}
