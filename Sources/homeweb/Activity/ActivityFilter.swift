import HomeModel
import Texts

/// The room or the accessory whose activity a page shows.
struct ActivityFilter {
    let home: Home
    var room: Room.ID?
    var accessory: Accessory?

    /// Creates the filter that a query contains.
    ///
    /// `home` contains only the rooms and accessories that the visitor may see, so that others can't be chosen.
    init(_ query: Query, _ home: Home) {
        self.home = home
        accessory = query["accessory"].flatMap { Accessory.ID($0) }.flatMap(home.accessory)
        let room = query["room"].flatMap { Room.ID($0) }
        self.room = accessory == nil ? room.flatMap(home.room)?.id : nil
    }

    /// Returns the accessories whose changes to load; `nil` for all changes.
    func accessories(for visitor: Visitor) -> Set<Accessory.ID>? {
        if let accessory { return [accessory.id] }
        return visitor.seesAllRooms ? nil : Set(home.accessories.map(\.id))
    }

    func path(_ homeQuery: String, before entry: ActivityEntry.ID? = nil) -> String {
        path(homeQuery, room: room, accessory: accessory?.id, before: entry)
    }

    private func path(
        _ homeQuery: String, room: Room.ID? = nil, accessory: Accessory.ID? = nil, before entry: ActivityEntry.ID? = nil
    ) -> String {
        var parts = homeQuery.isEmpty ? [] : [String(homeQuery.dropFirst())]
        if let room { parts.append("room=\(room)") }
        if let accessory { parts.append("accessory=\(accessory)") }
        if let entry { parts.append("before=\(entry)") }
        return parts.isEmpty ? "/activity" : "/activity?" + parts.joined(separator: "&")
    }

    /// Returns the template values of the links to other filters.
    func values(homeQuery: String) -> Templates.Values {
        let shownRoom = room ?? accessory?.room
        let inhabited = Set(home.accessories.map(\.room))
        let rooms = (home.rooms.sortedForDisplay + [home.defaultRoom]).filter { inhabited.contains($0.id) }
        var values: Templates.Values = [
            "rooms": [
                ["name": localized("Everything"), "path": path(homeQuery), "current": room == nil && accessory == nil]
                    as Templates.Values
            ]
                + rooms.map { room in
                    [
                        "name": home.displayName(of: room), "path": path(homeQuery, room: room.id),
                        "current": room.id == self.room,
                    ] as Templates.Values
                }
        ]
        if let shownRoom {
            values["accessories"] = home.accessories.filter { $0.room == shownRoom }.sortedForDisplay.map { accessory in
                [
                    "name": accessory.name, "path": path(homeQuery, accessory: accessory.id),
                    "current": accessory.id == self.accessory?.id,
                ] as Templates.Values
            }
        }
        if let accessory {
            values["shown"] = [
                "name": accessory.name, "path": "/accessories/\(accessory.id)",
                "graphs": accessory.services.filter { $0.isUserInteractive && !$0.graphed.isEmpty }.map { service in
                    ["name": accessory.shownName(of: service), "path": "/services/\(service.id)/history"]
                        as Templates.Values
                },
            ]
        }
        return values
    }
}
