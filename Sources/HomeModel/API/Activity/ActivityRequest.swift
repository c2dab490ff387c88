/// A request for entries in the activity of a home, newest first.
package struct ActivityRequest: HomeMessage {
    package var home: Home.ID
    /// The rooms whose accessories' changes are returned; `nil` for all changes, also those without an accessory.
    package var rooms: [Room.ID]?
    /// The accessories whose changes are returned; `nil` for all.
    package var accessories: [Accessory.ID]?
    /// The entry before which entries are returned; `nil` for the latest entries.
    package var before: ActivityEntry.ID?
    package var since: Timestamp?
    package var until: Timestamp?
    /// The maximum number of entries, up to ``maximumCount``.
    package var count: Int

    package init(
        home: Home.ID, rooms: [Room.ID]? = nil, accessories: [Accessory.ID]? = nil, before: ActivityEntry.ID? = nil,
        since: Timestamp? = nil, until: Timestamp? = nil, count: Int = ActivityRequest.maximumCount
    ) {
        self.home = home
        self.rooms = rooms
        self.accessories = accessories
        self.before = before
        self.since = since
        self.until = until
        self.count = count
    }
}
