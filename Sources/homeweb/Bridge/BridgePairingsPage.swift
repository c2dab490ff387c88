import BridgeControl
import Hummingbird
import HummingbirdCore
import SystemKit
import Texts

/// The page with the controllers that are paired with the bridge.
///
/// It shows the command that removes a pairing, because a removal can't be undone and the bridge accepts it only from an
/// operator.
enum BridgePairingsPage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/bridge/pairings") { _, context in
            let visitor = try context.owner
            let (pairings, status) = try await BridgeChanges.ask(site) { bridge in
                (try await bridge.pairings(), try await bridge.status())
            }
            return Response.page(
                Layout(
                    title: localized("Pairings"), content: content(pairings, status), visitor: visitor, place: "/more"))
        }
    }

    static func content(_ pairings: [PairingListing], _ status: BridgeStatus) -> String {
        let names = Dictionary((status.bridges ?? []).map { ($0.number, $0.name) }) { $1 }
        let rows = pairings.map { pairing in
            var values: Templates.Values = [
                "name": localized("Controller \(shortened(pairing.id))"),
                "role": pairing.admin ? localized("Admin") : localized("Not an admin"),
                "id": pairing.id, "command": "\(ShellCommand.lamplighterAsRoot) pairings remove \(pairing.id)",
            ]
            if names.count > 1, let bridge = pairing.bridge.flatMap({ names[$0] }) { values["bridge"] = bridge }
            if let since = pairing.connectedSince {
                values["connected"] = since
            } else {
                values["isConnected"] = pairing.connected
            }
            return values
        }
        return Templates.render("bridge-pairings", ["pairings": rows, "none": pairings.isEmpty])
    }

    /// Returns the beginning of a controller's ID, which distinguishes it from others.
    private static func shortened(_ id: String) -> String { id.count > 8 ? "\(id.prefix(8))…" : id }
}
