import BoundedJSON
import BridgeControl
import Hummingbird
import HummingbirdCore
import TerminalKit
import Texts

/// The pages for adding a light system to the bridge: what the network has, and a form for each driver.
///
/// The daemon describes the forms, so the pages know no driver.
enum BridgeSystemPages {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/bridge/systems") { request, context in
            let visitor = try context.owner
            let query = Query(request.uri.query ?? "")
            let configuration = try await BridgeChanges.ask(site) { try await $0.configuration() }
            if let id = query["id"] {
                guard let (offer, system) = configuration.system(id) else {
                    throw WebError(
                        .notFound, localized("The bridge has no such light system that the page can change."))
                }
                return Response.page(
                    Layout(
                        title: localized("Change \(id)"), content: form(offer, of: system), visitor: visitor,
                        place: "/more"))
            }
            let offers = configuration.offers
            guard let driver = query["driver"] else {
                let found =
                    query["search"] == nil ? nil : try await BridgeChanges.ask(site) { try await $0.discoverLights() }
                return page(list(offers, found), visitor)
            }
            guard let offer = offers.first(where: { $0.driver == driver }) else {
                throw WebError(.notFound, localized("The bridge has no such driver."))
            }
            return page(form(offer), visitor)
        }
        router.get("/bridge/devices") { request, context in
            let visitor = try context.owner
            let key = Query(request.uri.query ?? "")["key"]
            guard
                let device = try await BridgeChanges.ask(site, { try await $0.lights() }).first(where: { $0.key == key }
                )
            else { throw WebError(.notFound, localized("The bridge has no such device.")) }
            let content = Templates.render(
                "bridge-device",
                [
                    "name": device.name, "key": device.key, "kind": localized(key: device.kind.capitalizedFirst),
                    "state": device.reachable ? localized("reachable") : localized("unreachable"),
                    "warnings": device.warnings ?? [],
                ])
            return Response.page(Layout(title: device.name, content: content, visitor: visitor, place: "/more"))
        }
    }

    private static func page(_ content: String, _ visitor: Visitor) -> Response {
        .page(Layout(title: localized("Add a light system"), content: content, visitor: visitor, place: "/more"))
    }

    // MARK: Contents

    private static func list(_ offers: [DriverOffer], _ found: FoundLights?) -> String {
        var values: Templates.Values = [
            "offers": offers.map { offer in
                [
                    "title": localized(key: offer.title), "about": localized(key: offer.about),
                    "path": "/bridge/systems" + Query(["driver": offer.driver]).text,
                ] as Templates.Values
            }
        ]
        if let found { values["found"] = Self.found(found) }
        return Templates.render("bridge-systems", values)
    }

    private static func found(_ found: FoundLights) -> Templates.Values {
        let entries = found.entries.map { entry in
            let driver = entry.id ?? entry.keys["driver"]?.string ?? ""
            let sources = found.found.filter { source in
                source.state == (entry.id == nil ? .new : .incomplete)
                    && (entry.id != nil || source.driver == entry.keys["driver"]?.string)
            }
            return [
                "title": entry.id.map { localized("More devices for \($0)") } ?? driver,
                "sources": sources.map {
                    localized("\($0.name) \($0.detail.map { "(\($0)) " } ?? "")at \($0.address)")
                },
                "entry": JSONValue(encoding: entry).text, "fields": (entry.secrets ?? []).map { field($0) },
            ] as Templates.Values
        }
        let known = found.found.filter { $0.state == .configured }.count
        let unsupported = found.found.filter { $0.state == .unsupported }
        var values: Templates.Values = [
            "entries": entries, "problems": found.problems.map(\.sentence), "nothing": entries.isEmpty,
            "unsupported": unsupported.map { localized("\($0.name) at \($0.address)") },
        ]
        if known > 0 {
            values["known"] = localized(
                "The bridge already has \(known) device of those on the network.",
                plural: "The bridge already has \(known) devices of those on the network.", count: known)
        }
        return values
    }

    /// Returns the form that adds a driver, or changes a system.
    static func form(_ offer: DriverOffer, of system: ConfigurationListing.System? = nil) -> String {
        var values: Templates.Values = [
            "driver": offer.driver, "title": localized(key: offer.title), "about": localized(key: offer.about),
            "fields": offer.fields.map { field($0, system?.values?[$0.name]) },
        ]
        if let system {
            values["id"] = system.id
            values["title"] = localized("Change \(system.id)")
        }
        return Templates.render("bridge-systems", ["form": values])
    }

    private static func field(_ field: DriverOffer.Field, _ value: String? = nil) -> Templates.Values {
        var values: Templates.Values = [
            "name": "value.\(field.name)", "label": localized(key: field.label), "required": field.isRequired,
        ]
        switch field.kind {
        case .flag: values["flag"] = ["checked": value == "true"]
        case .secret: values["secret"] = true
        default: values["text"] = ["value": value ?? "", "example": field.example ?? ""]
        }
        if let help = field.help { values["help"] = localized(key: help) }
        return values
    }
}

extension ConfigurationListing {
    /// Returns a system that the page can change, and the offer with its form.
    func system(_ id: String) -> (DriverOffer, System)? {
        guard let system = systems?.first(where: { $0.id == id }), system.values != nil,
            let offer = offers.first(where: { $0.driver == system.driver })
        else { return nil }
        return (offer, system)
    }
}
