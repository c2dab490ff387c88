import DeviceKit

/// The current warnings to the operator: at most one for each subject, and a limited number in total.
struct MQTTWarnings {
    enum Subject: Hashable {
        case message(AnnouncementOrigin)
        /// A problem in the announcement of a light that is shown nevertheless.
        case light(LightID, AnnouncementOrigin)
        /// Failing templates and other problems of a light.
        case failures(LightID)
        /// The scenes of a device.
        case scenes(String)
        case numberOfLights
        case numberOfReadings

        /// The origin of the announcement that caused the warning, or `nil` if no announcement did.
        var origin: AnnouncementOrigin? {
            switch self {
            case .message(let origin), .light(_, let origin): origin
            case .failures, .scenes, .numberOfLights, .numberOfReadings: nil
            }
        }

        /// The name that identifies the subject to the host.
        var name: String {
            switch self {
            case .message(let origin): origin.description
            case .light(let id, _), .failures(let id): id.rawValue
            case .scenes(let key): "scenes of \(MQTTProblem.quoted(key))"
            case .numberOfLights: "number of lights"
            case .numberOfReadings: "number of readings"
            }
        }
    }

    private static let maximum = 100

    private var subjects: Set<Subject> = []

    /// Issues a warning, or withdraws it if the text is `nil`.
    ///
    /// Returns the actions for the host.
    mutating func warn(_ text: String?, about subject: Subject) -> [MQTTAction] {
        guard let text else { return subjects.remove(subject) == nil ? [] : [.warn(nil, about: subject.name)] }
        guard subjects.contains(subject) || subjects.count < Self.maximum else { return [] }
        subjects.insert(subject)
        return [.warn(text, about: subject.name)]
    }

    /// Removes the warnings about announcements on a topic.
    ///
    /// Call it before the next announcement on that topic is read.
    ///
    /// - Returns: The names of the subjects of the removed warnings, for ``ended(of:)``.
    mutating func reset(topic: String) -> Set<String> {
        let former = subjects.filter { $0.origin?.topic == topic }
        subjects.subtract(former)
        return Set(former.map(\.name))
    }

    /// Withdraws the previous warnings whose subjects have no current warning.
    ///
    /// Another topic may have announced the same light and caused a warning about it.
    func ended(of former: Set<String>) -> [MQTTAction] {
        former.isEmpty ? [] : former.subtracting(subjects.map(\.name)).sorted().map { .warn(nil, about: $0) }
    }
}
