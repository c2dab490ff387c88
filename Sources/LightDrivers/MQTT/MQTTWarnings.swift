import DeviceKit

/// What an operator is warned of, each subject once and not more than can be read.
struct MQTTWarnings {
    enum Subject: Hashable {
        case message(AnnouncementOrigin)
        /// What an announcement says of a light that is shown all the same.
        case light(LightID, AnnouncementOrigin)
        /// Failing templates and other problems of a light.
        case failures(LightID)
        case numberOfLights
        case numberOfReadings

        /// The announcement that it is about.
        var origin: AnnouncementOrigin? {
            switch self {
            case .message(let origin), .light(_, let origin): origin
            case .failures, .numberOfLights, .numberOfReadings: nil
            }
        }

        /// What the host knows it by.
        var name: String {
            switch self {
            case .message(let origin): origin.description
            case .light(let id, _), .failures(let id): id.rawValue
            case .numberOfLights: "number of lights"
            case .numberOfReadings: "number of readings"
            }
        }
    }

    private static let maximum = 100

    private var subjects: Set<Subject> = []

    /// Warns of something, or with `nil` withdraws the warning; returns the actions for the host.
    mutating func warn(_ text: String?, about subject: Subject) -> [MQTTAction] {
        guard let text else { return subjects.remove(subject) == nil ? [] : [.warn(nil, about: subject.name)] }
        guard subjects.contains(subject) || subjects.count < Self.maximum else { return [] }
        subjects.insert(subject)
        return [.warn(text, about: subject.name)]
    }

    /// Forgets what announcements on a topic were warned of, before the next one there is read.
    ///
    /// - Returns: the names of those warnings, for ``ended(of:)``.
    mutating func reset(topic: String) -> Set<String> {
        let former = subjects.filter { $0.origin?.topic == topic }
        subjects.subtract(former)
        return Set(former.map(\.name))
    }

    /// Takes back those of former warnings that no subject gives cause for any more; another topic may have told of the same light.
    func ended(of former: Set<String>) -> [MQTTAction] {
        former.isEmpty ? [] : former.subtracting(subjects.map(\.name)).sorted().map { .warn(nil, about: $0) }
    }
}
