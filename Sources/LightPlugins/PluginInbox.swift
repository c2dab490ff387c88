import DeviceKit

/// The events of a plugin's process, in order, until the driver takes them.
///
/// If there are more than ``PluginLimits/inbox`` events, only the newest description and state of each light are kept.
/// A plugin that still exceeds twice this number violates the protocol.
package struct PluginInbox: Sendable {
    package enum Event: Equatable, Sendable {
        case message(PluginMessage)
        /// The plugin violated the protocol, as the text describes. Its later messages are ignored.
        case violation(String)
        /// The process ended, as the text describes.
        case ended(String)
    }

    private var events: [Event] = []
    private var isClosed = false

    package init() {}

    /// Adds a message.
    ///
    /// Messages after a violation are ignored.
    package mutating func add(_ message: PluginMessage) {
        guard !isClosed else { return }
        events.append(.message(message))
        guard events.count > PluginLimits.inbox else { return }
        fold()
        if events.count > 2 * PluginLimits.inbox { violated("it wrote more messages than the bridge can process") }
    }

    package mutating func violated(_ text: String) {
        guard !isClosed else { return }
        isClosed = true
        events.append(.violation(text))
    }

    /// Adds the end of the process, even after a violation.
    package mutating func ended(_ how: String) { events.append(.ended(how)) }

    /// Removes and returns all events, in order.
    package mutating func takeAll() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Merges each state into the light's newest state, and replaces the light's first description with the newest
    /// description, so that the description still precedes all states.
    ///
    /// States and descriptions from before and after a light's removal aren't merged with each other.
    private mutating func fold() {
        var states: [LightID: Int] = [:]
        var descriptions: [LightID: Int] = [:]
        var kept: [Event?] = []
        for event in events.reversed() {
            switch event {
            case .message(.state(let light, let report, _)):
                if let index = states[light], case .message(.state(_, let newer, let cause)) = kept[index],
                    report.values.count + newer.values.count <= PluginLimits.values
                {
                    var sum = report
                    sum.merge(newer)
                    kept[index] = .message(.state(light, sum, cause: cause))
                    continue
                }
                states[light] = kept.count
                kept.append(event)
            case .message(.added(let light)):
                let newest = descriptions.updateValue(kept.count, forKey: light.id)
                kept.append(newest.flatMap { kept[$0] } ?? event)
                if let newest { kept[newest] = nil }
            case .message(.removed(let light)):
                states[light] = nil
                descriptions[light] = nil
                kept.append(event)
            case .message(.event), .message(.answer), .message(.request), .message(.unknown), .message(.refused),
                .violation, .ended:
                kept.append(event)
            }
        }
        events = kept.reversed().compactMap { $0 }
    }
}
