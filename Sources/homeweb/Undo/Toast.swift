/// A message about a change, with a button to undo it.
struct Toast: Sendable {
    let id: String
    let text: String
    let isUndoable: Bool
    /// The number of seconds for which a page shows the message, or `nil` until it's dismissed.
    let seconds: Int?

    /// The shortest time for which a page shows the message, in seconds.
    private static let minimum = 4

    init(_ entry: UndoLog.Entry, at now: ContinuousClock.Instant) {
        id = entry.id
        text = entry.text
        isUndoable = entry.reversal != nil
        let rest = (UndoLog.shownFor - (now - entry.time)).components.seconds
        seconds = entry.isLasting ? nil : max(Int(rest), Self.minimum)
    }

    var html: String {
        var values: Templates.Values = ["text": text]
        if let seconds { values["seconds"] = "\(seconds)" }
        if isUndoable { values["undo"] = ["id": id] as Templates.Values }
        return Templates.render("toast", values)
    }
}
