import DeviceKit

/// A light in the registry.
struct MQTTMember {
    enum Source: Equatable {
        case configuration
        case announcement(DiscoveryKey)
        /// The producer announced that it will use another topic.
        case moving
        /// Withdrawn; removed at this time.
        case withdrawn(until: Duration)
    }

    var description: LightDescription
    var light: MQTTLight
    var source: Source
    /// The sensor that this reading belongs to.
    var device: LightDescription?
    /// The failures in the last warning to the operator.
    var warnedFailures: [String: String] = [:]
    /// The last reported reachability.
    var reported: Bool?

    /// The time of removal, or `nil` to keep it.
    var endsAt: Duration? { if case .withdrawn(let until) = source { until } else { nil } }

    fileprivate var deadline: Duration? { [endsAt, light.deadline].compactMap(\.self).min() }
    fileprivate var isReading: Bool { description.kind == .sensor }
}

/// All lights of a home.
///
/// Deadlines and the number of lights of each kind are updated with each change, because a home may have thousands of
/// lights and each message needs both.
struct MQTTMembers {
    private var members: [LightID: MQTTMember] = [:]
    private var deadlines: [LightID: Duration] = [:]
    /// The number of sensor readings.
    private(set) var readings = 0

    /// The number of other lights.
    var lights: Int { members.count - readings }

    /// All ids, sorted.
    var ids: [LightID] { members.keys.sorted { $0.rawValue < $1.rawValue } }

    /// The earliest deadline of a light.
    var deadline: Duration? { deadlines.values.min() }

    /// Returns the lights whose deadline has passed, sorted.
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
