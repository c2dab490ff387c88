extension HomeManager {
    /// What happens to the homes as a whole, from now on.
    public nonisolated func events() -> EventStream<HomeManagerEvent> {
        EventStream(Mailbox(limit: 1)) {}
    }

    /// What happens in a home, from now on; ends when the home is gone.
    public nonisolated func events(in home: Home.ID) -> EventStream<Home.Event> {
        EventStream(Mailbox(limit: 1)) {}
    }

    /// What happens to an accessory, from now on; ends when the accessory is gone.
    public nonisolated func events(of accessory: Accessory.ID) -> EventStream<Accessory.Event> {
        EventStream(Mailbox(limit: 1)) {}
    }

    /// All that happens, in the order in which it happens, from now on.
    public nonisolated func allEvents() -> EventStream<HomeNews> {
        EventStream(Mailbox(limit: 1)) {}
    }
}
