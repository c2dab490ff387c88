import BoundedJSON
import HTTPTypes
import HummingbirdCore
import Testing

@testable import homeweb

@Suite("The page as an installed app") struct InstallationTests {
    @Test("has all icons of its manifest, with one for masks and one of at least 512 pixels")
    func icons() throws {
        let manifest = try JSONValue(parsing: PackageResources.manifest_webmanifest)
        guard case .array(let icons)? = manifest["icons"] else {
            Issue.record("The manifest has no icons.")
            return
        }
        for icon in icons {
            let name = try #require(icon["src"]?.string).dropFirst("/assets/".count)
            let response = try Assets.response(String(name), isVersioned: false)
            #expect(response.headers[.contentType] == icon["type"]?.string)
        }
        #expect(icons.contains { $0["purpose"]?.string == "maskable" })
        #expect(icons.contains { $0["sizes"]?.string == "512x512" && $0["purpose"] == nil })
    }

    @Test("lets browsers look for a newer worker each time, but keep the page that it shows")
    func caching() throws {
        let worker = try Assets.response("worker.js", isVersioned: true)
        #expect(worker.headers[.cacheControl] == "no-cache")
        #expect(worker.headers[Guard.name("Service-Worker-Allowed")] == "/")
        let shell = try Assets.response("offline.html", isVersioned: true)
        #expect(shell.headers[.cacheControl]?.contains("immutable") == true)
        #expect(shell.headers[.contentType] == "text/html; charset=utf-8")
    }

    @Test("lets a wall tablet control the home, but not change it", arguments: [true, false])
    func tablet(isTablet: Bool) {
        var visitor = Visitor.local
        visitor.isTablet = isTablet
        #expect(visitor.isOwner != isTablet && visitor.isEditor != isTablet && visitor.access.mayOpen)
        let html = Layout(title: "Home", content: "", visitor: visitor).html
        #expect(html.contains(#"class="tablet""#) == isTablet && html.contains("Leave wall tablet mode") == isTablet)
        #expect(html.contains(#"href="/scenes""#) && html.contains(#"href="/more""#) != isTablet)
    }

    @Test("removes a field from a query")
    func query() {
        #expect(Query("tablet=1&home=a&tablet=0").without("tablet").text == "?home=a")
        #expect(Query("tablet=1").without("tablet").text == "")
    }
}
