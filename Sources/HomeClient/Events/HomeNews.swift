/// An event of any kind, for listeners that want all of them in the order in which they happened.
public enum HomeNews: Sendable, Hashable {
    /// Something that happened to the homes as a whole.
    case manager(HomeManagerEvent)
    /// Something that happened in a home.
    case home(Home.Event)
    /// Something that happened to an accessory.
    case accessory(Accessory.Event)

    /// The event's name, as tools print it.
    public var name: String {
        switch self {
        case .manager(let event): event.name
        case .home(let event): event.change.name
        case .accessory(let event): event.change.name
        }
    }
}
