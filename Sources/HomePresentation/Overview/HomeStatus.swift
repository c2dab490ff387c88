import HAPModel
public import HomeModel
import Texts

/// One aspect of a home's state in a few words, with the accessories that it's about.
public struct HomeStatus: Sendable, Hashable, Identifiable {
    /// The aspects, in display order.
    @nonexhaustive
    public enum Topic: String, Sendable, CaseIterable {
        /// Accessories that don't work, and alarms.
        case attention
        /// Lights that are on.
        case lights
        /// Temperature, humidity and air, and the devices that change them.
        case climate
        /// Locks, doors, windows and alarm systems.
        case security

        /// The aspect's name in English.
        public var title: String {
            switch self {
            case .attention: localized("Needs attention")
            case .lights: localized("Lights")
            case .climate: localized("Climate")
            case .security: localized("Security")
            }
        }
    }

    /// An accessory that needs attention.
    public struct Issue: Sendable, Hashable, Identifiable {
        /// The accessory's ID.
        public var id: Accessory.ID
        /// The accessory's name.
        public var name: String
        /// The reasons in a few words, such as `battery low` or `isn't responding`.
        public var words: String
        /// The problem with its remedy; `nil` if the words explain themselves.
        public var remedy: String?
    }

    /// The aspect.
    public var topic: Topic
    /// The state in English, such as `5 on`, `14–22 °C` or `1 unlocked, alarm armed`.
    public var words: String
    /// A Boolean value that indicates whether something is on, open or unlocked.
    public var isActive = false
    /// A Boolean value that indicates whether the state needs attention.
    public var isAlert = false
    /// The rows that the state is about, most important first.
    public var rows: [ServiceRow] = []
    /// The accessories that need attention.
    public var issues: [Issue] = []

    /// The aspect.
    public var id: Topic { topic }
}
