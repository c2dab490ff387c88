import BoundedJSON
import BridgeControl
import Testing

@testable import homeweb

@Suite("The views of the bridge") struct BridgeViewTests {
    private let lamp = LightListing(
        key: "home/a b", name: "Desk & Lamp", kind: "light", aid: 2, driver: "home", reachable: true,
        state: LightChange(on: true))

    @Test("shows warnings with time, driver, remedy, and a link to the form")
    func warnings() {
        let html = BridgeWarningsPage.content(
            WarningListing(
                since: "2026-01-01T00:00:00Z",
                records: [
                    WarningRecord(BridgeWarning(.notAdvertised, "Avahi isn't running"), since: "t1"),
                    WarningRecord(
                        BridgeWarning(.lights, "<b>no answer</b>", about: .init(driver: "home", light: "home/a b")),
                        since: "t2", until: "t3", times: 4),
                    WarningRecord(BridgeWarning(.lights, "broker gone", about: .init(driver: "home")), since: "t4"),
                    WarningRecord(
                        BridgeWarning(.lights, "removed", about: .init(driver: "home", light: "home/c")), since: "t5"),
                ]), [lamp])
        #expect(html.contains("Avahi isn&#39;t running") || html.contains("Avahi isn't running"))
        #expect(html.contains("lamplighter doctor"))
        #expect(html.contains("Desk &amp; Lamp: &lt;b&gt;no answer") && html.contains("This has happened 4 times."))
        #expect(html.contains("/bridge/devices?key=home%2Fa%20b") && html.contains("Rename or hide Desk &amp; Lamp"))
        #expect(html.contains("home: broker gone") && html.contains("/bridge#driver-home"))
        // A device that no longer exists has no form.
        #expect(html.contains("home/c: removed") && !html.contains("home%2Fc"))
        #expect(html.contains(#"<time datetime="t2">t2</time> to <time datetime="t3">"#))
    }

    @Test(
        "offers a backup only if the bridge allows it and nobody can read the connection",
        arguments: [
            (true, true, ["Download a backup"]), (true, false, ["over HTTPS", "backup bridge.backup"]),
            (false, true, ["page-backups: true", "/etc/lamplighter.yaml", "backup bridge.backup"]),
            (nil, true, ["page-backups: true"]),
        ] as [(Bool?, Bool, [String])])
    func backup(mayBackUp: Bool?, isPrivate: Bool, texts: [String]) {
        var configuration = ConfigurationListing(file: "/etc/lamplighter.yaml", offers: [], hidden: [], undo: nil)
        configuration.mayBackUp = mayBackUp
        let html = BridgeBackupPage.content(configuration, isPrivate: isPrivate)
        for text in texts { #expect(html.contains(text)) }
        #expect(html.contains("<form") == (mayBackUp == true && isPrivate) && html.contains("restore bridge.backup"))
    }

    @Test("shows no empty sections without warnings")
    func noWarnings() {
        let html = BridgeWarningsPage.content(WarningListing(since: "s", records: []), [])
        #expect(html.contains("There were no warnings.") && !html.contains("<h2>"))
    }

    @Test("lists pairings with shortened IDs and the operator's command, and has no form that removes them")
    func pairings() throws {
        let id = "4D5C6E1A-0000-4000-8000-0123456789AB"
        let status = BridgeStatus(
            name: "Demo", deviceID: "AA", since: "s", port: 1, configurationNumber: 1, paired: true, controllers: 1,
            advertisement: .init(state: .published, name: "Demo"), drivers: [], lights: .init(count: 0, reachable: 0),
            warnings: [])
        let html = BridgePairingsPage.content(
            [
                PairingListing(id: id, admin: true, connected: true, bridge: 1, connectedSince: "t1"),
                PairingListing(id: "short", admin: false, connected: false, bridge: 1),
            ], status)
        #expect(html.contains("Controller 4D5C6E1A…") && html.contains("pairings remove \(id)"))
        #expect(html.contains(#"Connected since <time datetime="t1">"#) && html.contains("Not connected now"))
        #expect(html.contains("Not an admin") && html.contains("Controller short") && !html.contains("<form"))
    }
}
