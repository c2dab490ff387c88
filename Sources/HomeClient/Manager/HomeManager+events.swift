extension HomeManager {
    /// What happens to the homes as a whole, from now on.
    public nonisolated func events() -> EventStream<HomeManagerEvent> { listeners.manager() }

    /// What happens in a home, from now on; ends when the home is gone.
    public nonisolated func events(in home: Home.ID) -> EventStream<Home.Event> { listeners.home(home) }

    /// What happens to an accessory, from now on; ends when the accessory is gone.
    ///
    /// Values are among it as far as they are reported to this app: see ``values(of:)``.
    public nonisolated func events(of accessory: Accessory.ID) -> EventStream<Accessory.Event> {
        listeners.accessory(accessory)
    }

    /// All that happens, in the order in which it happens, from now on.
    public nonisolated func allEvents() -> EventStream<HomeNews> { listeners.all() }
}
