import Texts
import WebAccess

/// The frame around the content of every page.
struct Layout {
    var title: String
    /// The HTML within `main`.
    var content = ""
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
    /// Whether the page needs only the rules of base.css, which are then part of its HTML.
    ///
    /// A browser shows it before it has loaded the rest of the style.
    var needsOnlyBaseStyle = false
    /// The query for the current home, if it isn't the primary home.
    var homeQuery = ""

    var html: String { beginning + ending }

    /// The HTML before the content: the style, the script, and the navigation bar.
    ///
    /// It depends on neither the content nor the path of live updates.
    var beginning: String {
        var values: Templates.Values = [
            "version": Assets.version, "language": Languages.current, "title": title, "notice": notice,
        ]
        if needsOnlyBaseStyle { values["style"] = Assets.baseStyle }
        if let texts = MarkedTexts.scriptJSON { values["texts"] = texts }
        if visitor?.isTablet == true { values["tablet"] = true }
        if let message { values["message"] = message }
        if let toast { values["toast"] = toast.html }
        if let visitor {
            var bar: Templates.Values = ["places": places(visitor)]
            if !visitor.isTablet {
                bar["finder"] = ["path": "/search" + homeQuery, "current": place == "/search"] as Templates.Values
            }
            values["bar"] = bar
        }
        return Templates.render("page-begin", values)
    }

    /// The HTML from the content on.
    var ending: String {
        var values: Templates.Values = ["content": content]
        if needsOnlyBaseStyle { values["version"] = Assets.version }
        if let live { values["live"] = live }
        if visitor?.isTablet == true { values["tablet"] = true }
        if let visitor, !visitor.isTablet, place != "/search" {
            values["search"] = SearchPage.box("", homeQuery: homeQuery)
        }
        return Templates.render("page-end", values)
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
