import HomeModel
import HomePresentation
import Texts

/// One line of the activity as an element of the page.
struct ActivityRow {
    let line: ActivityLine
    let home: Home
    let phrases: ActivityPhrases
    /// A Boolean value that indicates whether to show the room of the accessory.
    let showsRoom: Bool

    var id: String { "a\(line.id)" }

    var html: String { Templates.render("activity-row", values) }

    private var values: Templates.Values {
        var values: Templates.Values = [
            "id": id, "time": phrases.clock(line.time), "text": line.text, "problem": line.isProblem,
            "details": line.details.map { detail in
                var values: Templates.Values = ["text": detail.text]
                if let time = detail.time { values["time"] = phrases.clock(time) }
                if let id = detail.accessory { values["path"] = "/accessories/\(id)" }
                return values
            },
        ]
        if let path { values["path"] = path }
        let about = [room, line.requester.map { localized("by \($0)") }].compactMap(\.self)
        if !about.isEmpty { values["about"] = about.joined(separator: " · ") }
        return values
    }

    /// The room of the changed accessory, unless it's the default room or the page shows only one room.
    private var room: String? {
        guard showsRoom, let room = line.accessory.flatMap(home.accessory)?.room, room != home.defaultRoomID else {
            return nil
        }
        return home.room(room)?.name
    }

    /// The page of the cause if there is one, otherwise of the changed accessory.
    private var path: String? {
        if let trigger = line.cause.trigger { return home.trigger(trigger).map { "/automations/\($0.id)" } }
        if let scene = line.cause.actionSet { return home.actionSet(scene).map { "/scenes/\($0.id)" } }
        return line.accessory.flatMap(home.accessory).map { accessory in
            accessory.primaryService.map { "/services/\($0.id)" } ?? "/accessories/\(accessory.id)"
        }
    }
}
