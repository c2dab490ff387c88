import DeviceKit

/// What a plugin's process has told, in order, until the driver takes it.
///
/// Beyond ``PluginLimits/inbox`` only the newest description and state of each light are kept; a plugin that fills it even
/// so breaks the protocol.
package struct PluginInbox: Sendable {
    package enum Event: Equatable, Sendable {
        case message(PluginMessage)
        /// The plugin does not keep to the protocol; nothing that it wrote later is told.
        case violation(String)
        /// The process is gone, and how it went.
        case ended(String)
    }

    private var events: [Event] = []
    private var isClosed = false

    package init() {}

    /// The plugin wrote a message; after a violation it is passed over.
    package mutating func add(_ message: PluginMessage) {
        guard !isClosed else { return }
        events.append(.message(message))
        guard events.count > PluginLimits.inbox else { return }
        fold()
        if events.count > 2 * PluginLimits.inbox { violated("it wrote more than anybody can read") }
    }

    package mutating func violated(_ text: String) {
        guard !isClosed else { return }
        isClosed = true
        events.append(.violation(text))
    }

    /// The process is gone; that is told also after a violation.
    package mutating func ended(_ how: String) { events.append(.ended(how)) }

    /// Takes out everything that has not been taken yet, in order.
    package mutating func takeAll() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Puts what has been overtaken into what overtook it: a state moves back to the newest one, a description forward to the
    /// first one, so that it stays before all states; neither passes the light's removal.
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
