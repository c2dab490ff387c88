import WebAccess

/// What is around the content of every page.
struct Layout {
    var title: String
    var content: String
    /// Who looks at it; `nil` for who is not let in.
    var visitor: Visitor?
    /// The path under which its changes come; `nil` for a page that does not change.
    var live: String?
    /// The page of the bar that this one is, or belongs to.
    var place: String?
    /// The notice above the content, such as that the hub doesn't answer.
    var notice = ""
    /// Why the visitor's last form wasn't accepted; live updates leave it alone.
    var message: String?
    /// The home that is shown, if it is not the primary one.
    var homeQuery = ""

    var html: String {
        var values: Templates.Values = [
            "title": title, "content": content, "version": Assets.version, "notice": notice,
        ]
        if let live { values["live"] = live }
        if let message { values["message"] = message }
        if let visitor { values["bar"] = ["places": places(visitor)] }
        return Templates.render("page", values)
    }

    private func places(_ visitor: Visitor) -> [Templates.Values] {
        let all = [
            ("/", "Home", "home", false), ("/scenes", "Scenes", "scene", false),
            ("/history", "History", "history", false),
            ("/add", "Add", "add", true), ("/more", "More", "more", false),
        ]
        return all.filter { visitor.isOwner || !$0.3 }.map { path, name, icon, _ in
            ["path": path + homeQuery, "name": name, "icon": icon, "current": path == place]
        }
    }
}
