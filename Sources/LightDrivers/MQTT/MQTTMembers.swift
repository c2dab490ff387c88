import DeviceKit

/// A light in the registry.
struct MQTTMember {
    enum Source: Equatable {
        case configuration
        case announcement(DiscoveryKey)
        /// The producer announced that it will use another topic.
        case moving
        /// The announcement was withdrawn. The light will be removed at this time.
        case withdrawn(until: Duration)
    }

    var description: LightDescription
    var light: MQTTLight
    var source: Source
    /// The failures that the last warning to the operator was about.
    var warnedFailures: [String: String] = [:]
    /// The last reported reachability; `nil` if it wasn't reported yet.
    var reported: Bool?

    /// The time at which the light will be removed, or `nil` if it isn't withdrawn.
    var endsAt: Duration? { if case .withdrawn(let until) = source { until } else { nil } }

    fileprivate var deadline: Duration? { [endsAt, light.deadline].compactMap(\.self).min() }
    fileprivate var isPart: Bool { light.settings.isPart }
}

/// All lights in the registry.
///
/// The deadlines and the number of readings are updated with each change instead of being computed from all lights,
/// because they are needed for each message and a home may have thousands of lights.
struct MQTTMembers {
    private var members: [LightID: MQTTMember] = [:]
    private var deadlines: [LightID: Duration] = [:]
    /// The number of readings and buttons.
    private(set) var parts = 0

    /// The number of lights that aren't readings or buttons.
    var lights: Int { members.count - parts }

    /// All ids, sorted.
    var ids: [LightID] { members.keys.sorted { $0.rawValue < $1.rawValue } }

    /// The earliest deadline of all lights.
    var deadline: Duration? { deadlines.values.min() }

    /// Returns the ids of the lights whose deadline has passed, sorted.
    func due(now: Duration) -> [LightID] {
        deadlines.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
    }

    subscript(id: LightID) -> MQTTMember? {
        get { members[id] }
        _modify {
            if members[id]?.isPart == true { parts -= 1 }
            yield &members[id]
            if members[id]?.isPart == true { parts += 1 }
            deadlines[id] = members[id]?.deadline
        }
    }
}
