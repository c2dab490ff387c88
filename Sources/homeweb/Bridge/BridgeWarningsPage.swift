import BridgeControl
import Hummingbird
import HummingbirdCore
import Texts

/// The page with the bridge's current and past warnings.
enum BridgeWarningsPage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/bridge/warnings") { _, context in
            let visitor = try context.owner
            let (listing, lights) = try await BridgeChanges.ask(site) { bridge in
                (try await bridge.warnings(), try await bridge.lights())
            }
            return Response.page(
                Layout(
                    title: localized("Warnings of the bridge"), content: content(listing, lights), visitor: visitor,
                    place: "/more"))
        }
    }

    static func content(_ listing: WarningListing, _ lights: [LightListing]) -> String {
        let names = Dictionary(lights.map { ($0.key, $0.name) }) { $1 }
        let all = listing.records.map { record in
            (isCurrent: record.until == nil, values: values(record, names))
        }
        return Templates.render(
            "bridge-warnings",
            [
                "since": listing.since, "none": all.isEmpty,
                "current": all.filter(\.isCurrent).map(\.values), "over": all.filter { !$0.isCurrent }.map(\.values),
            ])
    }

    private static func values(_ record: WarningRecord, _ names: [String: String]) -> Templates.Values {
        var values = BridgeWarningView(warning: record.warning, names: names).values
        values["since"] = record.since
        if let until = record.until { values["until"] = until }
        if record.times > 1 { values["times"] = localized("This has happened \(record.times) times.") }
        return values
    }
}
