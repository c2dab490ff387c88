import HomeModel
import HomePresentation

/// The settings of an accessory in a table of accessories.
struct ArrangementRow: Sendable, Equatable {
    let accessory: Accessory.ID
    /// A short hash of the settings that the visitor saw, to detect changes by other visitors.
    var mark: String
    var name: String
    /// The name of the room, or an empty text for no room.
    var room: String
    var isFavorite: Bool
    /// Whether Home doesn't show the accessory's tiles.
    var isHidden: Bool
    /// Whether ``isHidden`` also applies if only some of the tiles are hidden now.
    var affectsAllTiles = false
    /// The reason why the name can't be used; empty for a name that can.
    var nameRefusal = ""
    /// The reason why the room can't be used or added; empty if it can.
    var roomRefusal = ""

    var isRefused: Bool { !nameRefusal.isEmpty || !roomRefusal.isEmpty }

    /// Creates a row with the current settings.
    init(_ accessory: Accessory, in home: Home, _ display: HomeDisplay) {
        self.accessory = accessory.id
        name = accessory.name
        room = home.nameOfRoom(accessory)
        isFavorite = accessory.primaryService?.isFavorite == true
        isHidden = accessory.isHidden(display)
        mark = ""
        mark = hash
    }

    init(accessory: Accessory.ID, mark: String) {
        self.accessory = accessory
        self.mark = mark
        (name, room, isFavorite, isHidden) = ("", "", false, false)
    }

    private var hash: String { Assets.hash(of: "\(name)\n\(room)\n\(isFavorite)\n\(isHidden)".utf8) }
}

extension Accessory {
    /// Returns whether Home shows none of the accessory's tiles although it has some.
    fileprivate func isHidden(_ display: HomeDisplay) -> Bool {
        let shown = tiles
        return !shown.isEmpty && shown.allSatisfy { display.hidden.contains($0.id) }
    }
}

extension Home {
    /// Returns the name of an accessory's room; an empty text if it's in no room.
    func nameOfRoom(_ accessory: Accessory) -> String {
        accessory.room == defaultRoomID ? "" : room(accessory.room)?.name ?? ""
    }
}
