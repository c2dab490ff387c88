import BoundedJSON
import BridgeControl
import Hummingbird
import HummingbirdCore
import LineRPC
import NIOCore
import SetupQR
import TerminalKit

/// The page of this computer's bridge, if `lamplighterd` is running: its codes, and its lights by driver.
enum BridgePage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/bridge") { _, context in
            let visitor = try context.owner
            return Response.page(
                Layout(title: "Bridge", content: await content(site), visitor: visitor, place: "/more"))
        }
        router.get("/bridge/:file") { _, context in
            _ = try context.owner
            let number = context.parameters.get("file").flatMap { $0.hasSuffix(".svg") ? Int($0.dropLast(4)) : nil }
            let setup = try? await BridgeControlClient.connect(to: site.bridgeSocket) {
                try await $0.setup(force: false)
            }
            guard let setup, let number, let payload = setup.codes.first(where: { $0.number == number })?.payload,
                let code = QRCode(payload)
            else { throw WebError(.notFound, "This bridge has no setup code to show.") }
            return Response(
                status: .ok, headers: [.contentType: "image/svg+xml"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: code.svg)))
        }
    }

    private static func content(_ site: Site) async -> String {
        do {
            let (status, setup, lights) = try await BridgeControlClient.connect(to: site.bridgeSocket) { bridge in
                // A paired bridge has no setup code to show.
                (try await bridge.status(), try? await bridge.setup(force: false), try await bridge.lights())
            }
            return Templates.render("bridge", values(status, setup, lights))
        } catch {
            let reason = (error as? BridgeControlError)?.message ?? "\(error)"
            return Templates.render(
                "bridge",
                [
                    "name": "Bridge", "summary": "No bridge found on this computer.",
                    "reason":
                        "\(reason.sentence) The bridge lamplighterd makes this computer's lights available to HomeKit apps. To show it here, add the user of homeweb to the group lamplighter-page and restart homeweb.",
                ])
        }
    }

    private static func values(
        _ status: BridgeStatus, _ setup: SetupListing?, _ lights: [LightListing]
    ) -> Templates.Values {
        let codes = setup?.codes ?? []
        let bridges = (status.bridges ?? []).map { bridge in
            var values: Templates.Values = [
                "name": bridge.name, "number": "\(bridge.number)",
                "about":
                    (bridge.paired
                    ? "Paired, with \(bridge.controllers.of("connected controller"))."
                    : "Not paired yet. Scan the QR code, or enter the digits.")
                    + " It has \(bridge.lights.of("device")).",
            ]
            if !bridge.paired, let code = codes.first(where: { $0.number == bridge.number }) {
                values["code"] = code.code
            }
            return values
        }
        return [
            "name": status.name, "summary": "\(status.deviceCounts); \(status.lights.reachable) reachable.",
            "warnings": status.warnings, "bridges": bridges,
            "drivers": status.drivers.map { driver in
                [
                    "name": driver.id, "state": driver.state,
                    "lights": lights.filter { $0.driver == driver.id }.map {
                        [
                            "name": $0.name,
                            "state": $0.reachable
                                ? ($0.state["on"]?.bool.map { $0 ? "on" : "off" } ?? "") : "unreachable",
                        ] as Templates.Values
                    },
                ] as Templates.Values
            },
        ]
    }
}

extension SetupListing {
    /// The codes of all bridges.
    ///
    /// Older daemons have only one bridge and don't send a list.
    var codes: [Bridge] {
        bridges ?? [Bridge(number: 1, name: "", code: code, payload: payload, paired: paired)]
    }
}
