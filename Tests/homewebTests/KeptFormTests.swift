import Testing

@testable import homeweb

@Suite("A rejected form on its page") struct KeptFormTests {
    private static let page = #"""
        <main><form method="post" action="/rooms/1/remove"><button>Remove</button></form>
        <details><summary>Name</summary>
        <form method="post" action="/rooms/1/name" class="row"><input type="hidden" name="self" value="2"><input name="name"></form>
        <form method="post" action="/rooms/1/name" class="row" data-self="1"><input type="hidden" name="self" value="1"><label>Name <input name="name" value="Bed &amp; Bath" required></label><svg><use href="/a#b"/></svg>
        <select name="kind"><option value="">Default</option><option value="a" selected>A</option><option value="b">B</option></select>
        <input type="checkbox" name="room" value="x" checked><input type="checkbox" name="room" value="y">
        <input type="password" name="secret"><textarea name="words" rows="2">
        old</textarea><button name="go" value="1">Go</button></form></details></main>
        """#

    private func filled(_ fields: [String: String], action: String = "/rooms/1/name") -> String? {
        KeptForm(action: action, fields: Query(fields), page: "/rooms/1?a=1&b=2").filling(Self.page)
    }

    @Test("shows the typed values, opens the part of the page, and doesn't repeat secrets")
    func typed() throws {
        let html = try #require(
            filled([
                "self": "1", "name": #""><script>"#, "kind": "b", "room": "y", "secret": "hunter2", "words": "a\n<b>",
                "go": "1",
            ]))
        let escaped = "&quot;&gt;&lt;script&gt;"
        #expect(
            html.contains(
                #"<input name="name" value="\#(escaped)" required autofocus data-former="Bed &amp; Bath">"#))
        #expect(html.contains(#"<input type="hidden" name="kept-page" value="/rooms/1?a=1&amp;b=2">"#))
        #expect(html.contains(#"<option value="a">A</option><option value="b" selected>"#))
        #expect(html.contains(#"name="room" value="x"><input type="checkbox" name="room" value="y" checked>"#))
        #expect(html.contains("rows=\"2\">\na\n&lt;b&gt;</textarea>") && html.contains(#"<use href="/a#b"/>"#))
        #expect(html.contains("<details open><summary>") && !html.contains("hunter2") && !html.contains("<script>"))
        // Other forms are unchanged.
        #expect(html.contains(#"value="2"><input name="name"></form>"#) && html.hasSuffix("</details></main>"))
        #expect(html.hasPrefix(#"<main><form method="post" action="/rooms/1/remove"><button>Remove</button></form>"#))
    }

    @Test(
        "finds no form with another path, another hidden value, a missing field, or only buttons",
        arguments: [
            (["self": "1", "name": "A"], "/rooms/2/name"), (["self": "3", "name": "A"], "/rooms/1/name"),
            (["name": "A"], "/rooms/1/name"), (["self": "1", "name": "A", "other": "1"], "/rooms/1/name"),
            ([:], "/rooms/1/remove"),
        ])
    func other(fields: [String: String], action: String) {
        #expect(filled(fields, action: action) == nil)
    }

    @Test(
        "finds no form in incomplete HTML",
        arguments: ["", "<form ", "<form method=\"post\" action=\"/a\"><input", "</form>"])
    func incomplete(html: String) {
        #expect(KeptForm(action: "/a", fields: Query([:]), page: "/").filling(html) == nil)
    }

    @Test("names the devices that didn't turn off, up to four")
    func refusal() {
        #expect(OffActions.refusal(["B", "A"]) == "These didn't turn off: A, B.")
        #expect(OffActions.refusal(["F", "A", "B", "C", "D", "E"]) == "These didn't turn off: A, B, C, D and 2 more.")
    }
}
