import Texts
import WebAccess

/// The frame around the content of every page.
struct Layout {
    var title: String
    var content: String
    /// The visitor, or `nil` if the visitor isn't signed in.
    var visitor: Visitor?
    /// The path of live updates, or `nil` for a static page.
    var live: String?
    /// The page of the navigation bar that this page belongs to.
    var place: String?
    /// The notice above the content, for example that the hub isn't responding.
    var notice = ""
    /// The reason why the visitor's last form was rejected.
    ///
    /// Live updates don't change it.
    var message: String?
    /// The message about the visitor's last change.
    var toast: Toast?
    /// The query for the current home, if it isn't the primary home.
    var homeQuery = ""

    var html: String { Self.head(for: visitor) + body }

    /// Returns the beginning of the HTML, which doesn't depend on the content.
    ///
    /// It names the style and the script.
    static func head(for visitor: Visitor?) -> String {
        var values: Templates.Values = ["version": Assets.version, "language": Languages.current]
        if let texts = MarkedTexts.scriptJSON { values["texts"] = texts }
        if visitor?.isTablet == true { values["tablet"] = true }
        return Templates.render("page-head", values)
    }

    /// The HTML after the ``head(for:)``.
    var body: String {
        var values: Templates.Values = [
            "title": title, "content": content, "version": Assets.version, "notice": notice,
        ]
        if let live { values["live"] = live }
        if visitor?.isTablet == true { values["tablet"] = true }
        if let message { values["message"] = message }
        if let toast { values["toast"] = toast.html }
        if let visitor {
            var bar: Templates.Values = ["places": places(visitor)]
            if !visitor.isTablet {
                bar["finder"] = ["path": "/search" + homeQuery, "current": place == "/search"] as Templates.Values
                if place != "/search" { values["search"] = SearchPage.box("", homeQuery: homeQuery) }
            }
            values["bar"] = bar
        }
        return Templates.render("page", values)
    }

    private func places(_ visitor: Visitor) -> [Templates.Values] {
        let all = [
            ("/", localized("Home"), "home", false), ("/scenes", localized("Scenes"), "scene", false),
            ("/activity", localized("Activity"), "history", false),
            ("/add", localized("Add"), "add", true), ("/more", localized("More"), "more", false),
        ]
        return all.filter { visitor.isTablet ? $0.2 == "home" || $0.2 == "scene" : visitor.isEditor || !$0.3 }.map {
            path, name, icon, _ in
            ["path": path + homeQuery, "name": name, "icon": icon, "current": path == place]
        }
    }
}
