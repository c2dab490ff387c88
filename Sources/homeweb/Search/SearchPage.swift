import BoundedJSON
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import Texts

/// The page with search results.
///
/// While the visitor types, the script requests only the results.
struct SearchPage: LivePage {
    /// The maximum number of results.
    private static let limit = 20

    let text: String
    let choice: Home.ID?
    let path: String
    var place: String { "/search" }

    init(query: Query) {
        text = query["q"].map { String($0.prefix(SearchRanking.maximumLength)) } ?? ""
        choice = query.home
        var fields = text.isEmpty ? [:] : ["q": text]
        fields["home"] = choice.map { "\($0)" }
        path = "/search" + Query(fields).text
    }

    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/search") { request, context in
            let visitor = try context.visitor
            let page = SearchPage(query: Query(request.uri.query ?? ""))
            guard request.isFromScript else {
                let toast = await site.undos.toast(for: request, visitor)
                return try await Pages.response(page, site, visitor, toast: toast)
            }
            let moment = try await site.moment(visitor, choice: page.choice)
            let entries = page.entries(moment)
            return .json([
                "html": .string(page.html(entries, isList: true)), "status": .string(page.status(entries.count)),
            ])
        }
    }

    func content(_ moment: Moment) -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        let entries = entries(moment)
        let box = Self.box(
            text, homeQuery: moment.homeQuery, status: status(entries.count), results: html(entries, isList: false))
        let services = entries.compactMap(\.service)
        return PageContent(
            title: localized("Search"), main: Templates.render("search", ["box": box]),
            values: moment.home?.valuesShown(of: services) ?? [])
    }

    /// Redraws the results of changed services, so that a result's button fits the new state.
    func parts(_ changed: Set<Service.ID>, _ moment: Moment) -> [(id: String, html: String)]? {
        guard PageContent.inPlaceOfHomes(moment) == nil, let home = moment.home else { return nil }
        let shown = changed.isEmpty ? [] : changed.intersection(entries(moment).compactMap(\.service))
        return home.rows().filter { shown.contains($0.id) }.map { row in
            let entry = SearchIndex.entry(row, home, moment.visitor)
            return (entry.id, html([entry], isList: true))
        }
    }

    /// Returns the field and the results, which are on this page and in the dialog of all other pages.
    static func box(_ text: String, homeQuery: String, status: String = "", results: String = "") -> String {
        var values: Templates.Values = ["text": text, "status": status, "results": results]
        if let home = Query(homeQuery.dropFirst()).home { values["home"] = "\(home)" }
        return Templates.render("search-box", values)
    }

    private func entries(_ moment: Moment) -> [SearchEntry] {
        guard let home = moment.home else { return [] }
        return SearchIndex(home, moment.visitor).results(text, limit: Self.limit)
    }

    private func status(_ count: Int) -> String {
        switch count {
        case 0: localized("Nothing matches.")
        case _ where text.isEmpty: ""
        default: localized("\(count) result", plural: "\(count) results", count: count)
        }
    }

    /// Returns the results as links and buttons, or as the options of a combobox.
    private func html(_ entries: [SearchEntry], isList: Bool) -> String {
        entries.map { entry in
            var values: Templates.Values = [
                "id": entry.id, "name": entry.name, "about": entry.about, "icon": entry.icon, "back": path,
                "isOption": isList,
            ]
            switch entry.target {
            case .page(let path): values["href"] = path
            case .action(let action): values["action"] = self.values(of: action, entry.name)
            }
            if let side = entry.side { values["side"] = self.values(of: side, entry.name) }
            return Templates.render("search-result", values)
        }.joined()
    }

    private func values(of action: SearchEntry.Action, _ name: String) -> Templates.Values {
        var values: Templates.Values = ["path": action.path, "label": action.label, "target": name]
        if let field = action.field {
            values["field"] = ["name": field.name, "value": field.value] as Templates.Values
        }
        return values
    }
}
