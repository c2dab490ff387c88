/// What a search for devices finds.
public enum BrowserEvent: Sendable, Hashable {
    /// A device that can be added is there.
    case found(DiscoveredAccessory)
    /// It went, or was added to a home by somebody.
    case removed(DiscoveredAccessory)
    /// So much happened that it was dropped: this is what is there now.
    case reset([DiscoveredAccessory])
}
