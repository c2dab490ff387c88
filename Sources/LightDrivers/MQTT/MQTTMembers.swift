import DeviceKit

/// A light as a part of its home.
struct MQTTMember {
    enum Source: Equatable {
        case configuration
        case announcement(DiscoveryKey)
        /// Its producer said that it will be announced elsewhere.
        case moving
        /// Withdrawn; to be forgotten at that time.
        case withdrawn(until: Duration)
    }

    var description: LightDescription
    var light: MQTTLight
    var source: Source
    /// The sensor that a reading is a part of.
    var device: LightDescription?
    /// The failures that the operator was warned of.
    var warnedFailures: [String: String] = [:]
    /// Whether it was last reported in reach.
    var reported: Bool?

    /// When it is to be forgotten, if it is.
    var endsAt: Duration? { if case .withdrawn(let until) = source { until } else { nil } }

    fileprivate var deadline: Duration? { [endsAt, light.deadline].compactMap(\.self).min() }
    fileprivate var isReading: Bool { description.kind == .sensor }
}

/// All lights of a home.
///
/// Which of them time changes, and how many there are of a kind, is noted as they change: a home may have thousands, and is
/// asked for both with each message.
struct MQTTMembers {
    private var members: [LightID: MQTTMember] = [:]
    private var deadlines: [LightID: Duration] = [:]
    /// How many of them are readings of sensors.
    private(set) var readings = 0

    /// How many of them are not.
    var lights: Int { members.count - readings }

    /// All ids, in their order.
    var ids: [LightID] { members.keys.sorted { $0.rawValue < $1.rawValue } }

    /// When the first of them has something to do.
    var deadline: Duration? { deadlines.values.min() }

    /// Those whose deadline has passed, in their order.
    func due(now: Duration) -> [LightID] {
        deadlines.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
    }

    subscript(id: LightID) -> MQTTMember? {
        get { members[id] }
        _modify {
            if members[id]?.isReading == true { readings -= 1 }
            yield &members[id]
            if members[id]?.isReading == true { readings += 1 }
            deadlines[id] = members[id]?.deadline
        }
    }
}
