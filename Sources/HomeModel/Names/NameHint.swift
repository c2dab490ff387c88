/// Something about a valid name that could be better; never an error.
public enum NameHint: Sendable, Hashable {
    /// It repeats a room or zone of the home.
    case containsLocation(NameLocation)
    /// It contains the manufacturer, the model or the serial number.
    case containsMaker
    /// Another service of the home has the same key.
    case ambiguousForVoice
    /// It is only the noun of its kind, and there are more of them in the room.
    case genericOnly

    /// The hint's name in messages.
    public var name: String {
        switch self {
        case .containsLocation: "containsLocation"
        case .containsMaker: "containsMaker"
        case .ambiguousForVoice: "ambiguousForVoice"
        case .genericOnly: "genericOnly"
        }
    }
}
