import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import Texts

/// A table of accessories as a page with a form.
struct ArrangementView {
    let arrangement: Arrangement
    let home: Home
    let title: String
    let about: String
    /// The path that the form is sent to.
    let path: String
    /// The page to continue with instead of saving.
    let later: String
    let place: String
    /// The fields that change all rows; `nil` without them.
    var tools: Templates.Values?
    /// The message about the accessories that were saved although others were refused.
    var toast: Toast?
    var message: String?
    /// Whether the visitor didn't try to save the table.
    var isPreview = false

    func response(_ visitor: Visitor) -> Response {
        let rows = arrangement.rows.enumerated().compactMap { number, row in
            home.accessory(row.accessory).map { self.values(of: row, number, $0) }
        }
        var values: Templates.Values = [
            "heading": title, "about": about, "path": path,
            "count": rows.count == 1 ? localized("Save") : localized("Save all \(rows.count)"),
            "rows": rows, "rooms": home.rooms.sortedForDisplay.map(\.name), "later": later,
            "leave": tools == nil ? localized("Not now") : localized("Cancel"),
        ]
        if let tools { values["tools"] = tools }
        var layout = Layout(
            title: title, content: Templates.render("arrange", values), visitor: visitor, place: place)
        layout.toast = toast
        layout.message = message
        if arrangement.isRefused {
            let count = arrangement.rows.count(where: \.isRefused)
            layout.message =
                arrangement.notice.isEmpty
                ? localized(
                    "One accessory needs a change. The reason is next to it.",
                    plural: "\(count) accessories need a change. The reason is next to it.", count: count)
                : arrangement.notice
        }
        return .page(layout, status: isPreview || !arrangement.isRefused && message == nil ? .ok : .badRequest)
    }

    private func values(of row: ArrangementRow, _ number: Int, _ accessory: Accessory) -> Templates.Values {
        var values: Templates.Values = [
            "row": "\(row.accessory).\(row.mark)", "id": "\(row.accessory)", "number": "\(number)",
            "about": (accessory.primaryService?.shownType ?? accessory.category.shownName),
            "present": accessory.name, "name": row.name, "room": row.room, "nameRefusal": row.nameRefusal,
            "roomRefusal": row.roomRefusal, "isNameRefused": !row.nameRefusal.isEmpty,
            "isRoomRefused": !row.roomRefusal.isEmpty, "isRenamed": row.name != accessory.name,
            "isMoved": NameKey(row.room) != NameKey(home.nameOfRoom(accessory)),
        ]
        if accessory.primaryService != nil {
            values["favorite"] = ["checked": row.isFavorite, "present": accessory.name] as Templates.Values
        }
        if !accessory.tiles.isEmpty {
            values["hidden"] =
                [
                    "checked": row.isHidden, "present": accessory.name, "allTiles": row.affectsAllTiles,
                ] as Templates.Values
        }
        return values
    }
}
