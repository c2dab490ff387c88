import BoundedJSON
import HomeModel
import Hummingbird
import HummingbirdCore
import TerminalKit
import Texts
import WebAccess

/// The route that undoes a change.
enum UndoActions {
    /// The maximum number of reasons in a message.
    private static let shownLosses = 4

    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/undo") { request, context in
            let visitor = try context.visitor
            let form = try await request.form(context)
            guard let entry = await site.undos.take(form["id"] ?? "", of: visitor), let reversal = entry.reversal
            else { throw WebError(.gone, localized("It's too late to undo this.")) }
            if reversal.changesHome { _ = try context.editor }
            var losses = await Restoration.run(reversal, on: site, mayOpen: visitor.access.mayOpen)
            losses += lostAccess(reversal, site)
            let toast = await site.undos.add(
                text(losses, entry.restored), of: visitor, isLasting: !losses.isEmpty)
            let response =
                request.isFromScript
                ? Response.json(["toast": .string(toast.html)]) : .seeOther(request.localReferrer ?? "/")
            return response.showing(toast, context)
        }
    }

    private static func text(_ losses: [String], _ restored: String) -> String {
        guard !losses.isEmpty else { return restored }
        let more = losses.count - shownLosses
        let rest =
            more > 0
            ? " "
                + localized(
                    "\(more) other part can't be restored either.",
                    plural: "\(more) other parts can't be restored either.", count: more) : ""
        return localized("Not everything was restored.") + " " + losses.prefix(shownLosses).joined(separator: " ")
            + rest
    }

    /// Returns the guests who could see a room that was restored with a new ID.
    private static func lostAccess(_ reversal: Reversal, _ site: Site) -> [String] {
        guard let people = try? site.people.all() else { return [] }
        return reversal.steps.flatMap { step -> [String] in
            guard case .addRoom(let room, _, _) = step else { return [] }
            return people.filter { $0.rooms?.contains("\(room.id)") == true }.map {
                localized("\($0.name) no longer sees \(room.name). An owner can change this under Access.")
            }
        }
    }
}
