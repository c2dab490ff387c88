import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import Texts

/// The list of all accessories of a home, in which several can be selected and edited together.
struct SelectionPage: LivePage {
    let path: String
    let choice: Home.ID?
    var place: String { "/more" }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        let rooms: [Templates.Values] = (home.rooms.sortedForDisplay + [home.defaultRoom]).compactMap { room in
            let accessories = home.accessories(in: room.id).sortedForDisplay
            guard !accessories.isEmpty else { return nil }
            return [
                "room": "\(room.id)", "name": home.displayName(of: room),
                "accessories": accessories.map { accessory in
                    [
                        "id": "\(accessory.id)", "name": accessory.name,
                        "about": accessory.primaryService?.shownType
                            ?? accessory.category.shownName,
                        "isFavorite": accessory.primaryService?.isFavorite == true,
                    ] as Templates.Values
                },
            ]
        }
        return PageContent(
            title: localized("Accessories"),
            main: Templates.render(
                "selection", ["home": "\(home.id)", "up": "/more" + moment.homeQuery, "rooms": rooms]))
    }

    // MARK: Editing

    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/accessories/edit") { request, context in
            let visitor = try context.editor
            let form = try await request.form(
                context, limit: ArrangePage.formLimit,
                fields: max(Arrangement.rowLimit * ArrangePage.fieldsPerRow, HomeLimits.accessoriesInHome) + 50)
            let id = form["home"].flatMap { Home.ID($0) }
            guard let home = try await site.moment(visitor).home(where: { $0.id == id }) else {
                throw ValueActions.notFound
            }
            let display = site.displays.display(of: home.id)
            guard form["row"] != nil else { return try select(form, home, display, visitor) }
            let edit = BulkEdit(form)
            let isPreview = form["do"] == "preview"
            var arrangement = Arrangement(form)
            guard !arrangement.isRefused else { return view(arrangement, home, edit).response(visitor) }
            if let refusal = edit.refusal(count: arrangement.rows.count) {
                return view(arrangement, home, edit, message: refusal, isPreview: isPreview).response(visitor)
            }
            edit.apply(to: &arrangement)
            let changes = arrangement.changes(among: home.accessories, in: home, display)
            guard !isPreview, !arrangement.isRefused else {
                return view(arrangement, home, isPreview: isPreview).response(visitor)
            }
            return try await save(changes, arrangement, home, request, context, site)
        }
    }

    /// Shows the table of the accessories that were selected in the list.
    private static func select(
        _ form: Query, _ home: Home, _ display: HomeDisplay, _ visitor: Visitor
    ) throws(WebError) -> Response {
        let chosen = Set(form.fields.filter { $0.name == "accessory" || $0.name == "room" }.map(\.value))
        let accessories = home.accessories.filter { chosen.contains("\($0.id)") || chosen.contains("\($0.room)") }
        guard !accessories.isEmpty else { throw WebError(.badRequest, localized("Select at least one accessory.")) }
        guard accessories.count <= Arrangement.rowLimit else {
            throw WebError(.badRequest, localized("Select no more than \(Arrangement.rowLimit) accessories at a time."))
        }
        return view(Arrangement(accessories.sortedForDisplay, in: home, display), home).response(visitor)
    }

    private static func save(
        _ changes: [Arrangement.Change], _ arrangement: Arrangement, _ home: Home, _ request: Request,
        _ context: WebContext, _ site: Site
    ) async throws -> Response {
        let visitor = try context.editor
        var arrangement = arrangement
        let reversal = await ArrangementSaver.save(changes, &arrangement, of: home, site)
        let count = reversal.accessoryCount(in: home)
        let text =
            switch count {
            case 0: localized("Nothing was changed.")
            case 1: localized("One accessory was changed.")
            default: localized("\(count) accessories were changed.")
            }
        let toast = await site.undos.add(
            text, of: visitor, restored: localized("The accessories are as before."), reversal)
        guard arrangement.isRefused else {
            return Response.seeOther("/accessories" + (home.isPrimary ? "" : "?home=\(home.id)"))
                .showing(toast, context)
        }
        let now = await site.home(home.id) ?? home
        return view(arrangement, now, toast: toast).response(visitor).showing(toast, context)
    }

    private static func view(
        _ arrangement: Arrangement, _ home: Home, _ edit: BulkEdit = BulkEdit(), toast: Toast? = nil,
        message: String? = nil, isPreview: Bool = false
    ) -> ArrangementView {
        let tools: Templates.Values = [
            "home": "\(home.id)", "setRoom": edit.room, "pattern": edit.pattern, "start": "\(edit.start)",
            "find": edit.find, "replacement": edit.replacement, "isFavorite": edit.isFavorite == true,
            "isNoFavorite": edit.isFavorite == false, "isHidden": edit.isHidden == true,
            "isShown": edit.isHidden == false,
        ]
        return ArrangementView(
            arrangement: arrangement, home: home, title: localized("Edit accessories"),
            about: localized("Change all of them together, or each in the table."), path: "/accessories/edit",
            later: "/accessories" + (home.isPrimary ? "" : "?home=\(home.id)"), place: "/more", tools: tools,
            toast: toast, message: message, isPreview: isPreview)
    }
}

extension Reversal {
    /// The number of accessories that a bulk edit changed.
    fileprivate func accessoryCount(in home: Home) -> Int {
        Set(
            steps.flatMap { step -> [Accessory.ID] in
                switch step {
                case .rename(let id, _, _), .move(let id, _, _): [id]
                case .setFavorite(let id, _): [home.accessory(of: id)?.id].compactMap(\.self)
                case .setHidden(let services, _): services.compactMap { home.accessory(of: $0)?.id }
                default: []
                }
            }
        ).count
    }
}
