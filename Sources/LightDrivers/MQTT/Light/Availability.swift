internal import Jinja

/// A light's availability, according to its availability topics.
package struct Availability: Equatable, Sendable {
    /// An availability topic and the format of its messages.
    package struct Source: Equatable, Sendable {
        package var topic: String
        package var template: MessageTemplate?
        package var available = "online"
        package var notAvailable = "offline"
        /// A Boolean value that indicates whether the topic is ignored until its first message.
        package var isOptional = false
    }

    /// The way to combine several topics: all must be available, one must be available, or the latest message counts.
    package enum Mode: String, CaseIterable, Sendable {
        case all, any, latest
    }

    package let sources: [Source]
    package let mode: Mode
    private var states: [Bool?]
    private var latest: Bool?
    private(set) var faults = TemplateFaults()

    package init(sources: [Source] = [], mode: Mode = .latest) {
        self.sources = sources
        self.mode = mode
        states = Array(repeating: nil, count: sources.count)
    }

    /// A Boolean value that indicates whether the light is available.
    ///
    /// A light without availability topics is always available. Any other light is unavailable until a message reports
    /// that it is available.
    package var isAvailable: Bool {
        guard !sources.isEmpty else { return true }
        switch mode {
        case .latest: return latest ?? false
        case .all: return zip(sources, states).allSatisfy { source, state in state ?? source.isOptional }
        case .any: return states.contains(true)
        }
    }

    mutating func received(topic: String, payload: MQTTPayload, _ state: EntityState = EntityState()) {
        for (index, source) in sources.enumerated() where source.topic == topic {
            guard let text = text(of: payload, source, state) else { continue }
            if text == source.available {
                states[index] = true
            } else if text == source.notAvailable {
                states[index] = false
            } else {
                continue
            }
            latest = states[index]
        }
    }

    private mutating func text(of payload: MQTTPayload, _ source: Source, _ state: EntityState) -> String? {
        guard let template = source.template else { return payload.text }
        do throws(JinjaError) {
            let text = try template.value(of: payload, state)
            faults.worked(template.key)
            return text
        } catch {
            faults.failed(template.key, "\(error.text); this topic isn't read")
            return nil
        }
    }

    /// Returns whether a topic is an availability topic of this light that has received no message yet.
    func isWaiting(for topic: String) -> Bool {
        zip(sources, states).contains { source, state in source.topic == topic && state == nil }
    }

    /// Copies missing topic states from another light that reads the same topics in the same way.
    mutating func learn(from other: Availability) {
        for (index, source) in sources.enumerated() where states[index] == nil {
            if let place = other.sources.firstIndex(of: source) { states[index] = other.states[place] }
        }
        guard latest == nil, states.contains(where: { $0 != nil }) else { return }
        // The order of the messages on different topics is unknown, so assume that the light is unavailable if one
        // topic reports that.
        latest = sources == other.sources ? other.latest : !states.contains(false)
    }

    /// Returns whether two lights have the same availability topics and formats, combined in the same way.
    func hasSameSources(as other: Availability) -> Bool { sources == other.sources && mode == other.mode }
}
