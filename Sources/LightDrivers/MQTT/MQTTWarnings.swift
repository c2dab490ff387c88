import DeviceKit

/// The operator's warnings, each subject once and with a maximum number.
struct MQTTWarnings {
    enum Subject: Hashable {
        case message(AnnouncementOrigin)
        /// A problem in the announcement of a light that is still shown.
        case light(LightID, AnnouncementOrigin)
        /// Failing templates and other problems of a light.
        case failures(LightID)
        case numberOfLights
        case numberOfReadings

        /// The announcement that caused the warning.
        var origin: AnnouncementOrigin? {
            switch self {
            case .message(let origin), .light(_, let origin): origin
            case .failures, .numberOfLights, .numberOfReadings: nil
            }
        }

        /// The host's name of the subject.
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

    /// Issues a warning, or withdraws it if the text is `nil`; returns the actions for the host.
    mutating func warn(_ text: String?, about subject: Subject) -> [MQTTAction] {
        guard let text else { return subjects.remove(subject) == nil ? [] : [.warn(nil, about: subject.name)] }
        guard subjects.contains(subject) || subjects.count < Self.maximum else { return [] }
        subjects.insert(subject)
        return [.warn(text, about: subject.name)]
    }

    /// Removes the warnings about announcements on a topic before the next one there is read.
    ///
    /// - Returns: The names of those warnings, for ``ended(of:)``.
    mutating func reset(topic: String) -> Set<String> {
        let former = subjects.filter { $0.origin?.topic == topic }
        subjects.subtract(former)
        return Set(former.map(\.name))
    }

    /// Withdraws former warnings that no subject causes anymore; another topic may have announced the same light.
    func ended(of former: Set<String>) -> [MQTTAction] {
        former.isEmpty ? [] : former.subtracting(subjects.map(\.name)).sorted().map { .warn(nil, about: $0) }
    }
}
