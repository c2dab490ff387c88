import BoundedJSON
import BridgeControl
import Hummingbird
import HummingbirdCore
import LineRPC
import NIOCore
import SetupQR
import SystemKit
import TerminalKit
import Texts

/// The page of this computer's bridge, if `lamplighterd` is running: its codes, and its lights by driver.
enum BridgePage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/bridge") { _, context in
            let visitor = try context.owner
            return Response.page(
                Layout(title: localized("Bridge"), content: await content(site), visitor: visitor, place: "/more"))
        }
        router.get("/bridge/:file") { _, context in
            _ = try context.owner
            let number = context.parameters.get("file").flatMap { $0.hasSuffix(".svg") ? Int($0.dropLast(4)) : nil }
            let setup = try? await BridgeControlClient.connect(to: site.bridgeSocket) {
                try await $0.setup(force: false)
            }
            guard let setup, let number, let payload = setup.codes.first(where: { $0.number == number })?.payload,
                let code = QRCode(payload)
            else { throw WebError(.notFound, localized("This bridge has no setup code to show.")) }
            return Response(
                status: .ok, headers: [.contentType: "image/svg+xml"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: code.svg)))
        }
    }

    private static func content(_ site: Site) async -> String {
        do {
            let state = try await BridgeControlClient.connect(to: site.bridgeSocket) { bridge in
                // A paired bridge has no setup code to show. An invalid or old configuration can't be changed here.
                BridgeState(
                    status: try await bridge.status(), setup: try? await bridge.setup(force: false),
                    lights: try await bridge.lights(), configuration: try? await bridge.configuration())
            }
            return Templates.render("bridge", state.values)
        } catch {
            let reason = (error as? BridgeControlError)?.message ?? "\(error)"
            return Templates.render(
                "bridge",
                [
                    "name": localized("Bridge"), "summary": localized("No bridge found on this computer."),
                    "reason":
                        reason.sentence + " "
                        + localized(
                            "The bridge lamplighterd makes this computer's devices available to HomeKit apps. To show it here, add the user of homeweb to the group lamplighter-page and restart homeweb."
                        ),
                ])
        }
    }
}

/// The state of the bridge, as its page shows it.
private struct BridgeState {
    let status: BridgeStatus
    let setup: SetupListing?
    let lights: [LightListing]
    let configuration: ConfigurationListing?

    var values: Templates.Values {
        var values: Templates.Values = [
            "name": status.name, "summary": localized("\(deviceCounts); \(status.lights.reachable) reachable."),
            "warnings": warnings,
            "bridges": bridges, "drivers": status.drivers.map(driver), "left": left,
            "purge": "\(ShellCommand.lamplighterAsRoot) devices purge",
        ]
        guard let configuration else { return values }
        var editing: Templates.Values = [
            "hidden": configuration.hidden.map {
                ["key": $0.key, "name": $0.name ?? $0.key] as Templates.Values
            },
            "kinds": (status.hiddenKinds ?? []).map { ["kind": $0.kind, "words": $0.words] as Templates.Values },
        ]
        if let undo = configuration.undo { editing["undo"] = undo }
        values["editing"] = editing
        return values
    }

    /// The number of devices; in English by kind, as the bridge counts them.
    private var deviceCounts: String {
        let count = status.lights.count
        return Languages.current == "en"
            ? status.deviceCounts : localized("\(count) device", plural: "\(count) devices", count: count)
    }

    /// The warnings that aren't about a driver or a device.
    ///
    /// The others are shown with their driver.
    private var warnings: [Templates.Values] {
        guard status.warningSubjects != nil else { return status.warnings.map { ["text": $0] } }
        return status.codedWarnings.filter { warning in warning.code != .lights }.map { warning in
            BridgeWarningView(warning: warning).values
        }
    }

    private var bridges: [Templates.Values] {
        let codes = setup?.codes ?? []
        return (status.bridges ?? []).map { bridge in
            var values: Templates.Values = [
                "name": bridge.name, "number": "\(bridge.number)",
                "about":
                    (bridge.paired
                    ? localized(
                        "Paired, with \(bridge.controllers) connected controller.",
                        plural: "Paired, with \(bridge.controllers) connected controllers.", count: bridge.controllers)
                    : localized("Not paired yet. Scan the QR code, or enter the digits."))
                    + " "
                    + localized(
                        "It has \(bridge.lights) device.", plural: "It has \(bridge.lights) devices.",
                        count: bridge.lights),
            ]
            if !bridge.paired, let code = codes.first(where: { $0.number == bridge.number }) {
                values["code"] = code.code
            }
            return values
        }
    }

    /// The devices of drivers that were removed.
    private var left: [String] {
        let drivers = Set(status.drivers.map(\.id))
        return lights.filter { !drivers.contains($0.driver) }.map(\.name)
    }

    private func driver(_ driver: BridgeStatus.Driver) -> Templates.Values {
        let devices = lights.filter { $0.driver == driver.id }
        let warnings = status.lightWarnings.filter { warning in
            warning.subject.driver == driver.id || warning.subject.light?.hasPrefix("\(driver.id)/") == true
        }
        let names = Dictionary(devices.map { ($0.key, $0.name) }) { $1 }
        var values: Templates.Values = [
            "name": driver.id, "state": driver.state == "running" ? localized("running") : driver.state,
            "part": BridgeWarningView.part(ofDriver: driver.id),
            "warnings": warnings.map { BridgeWarningView(warning: $0, names: names, namesDriver: false).values },
            "lights": devices.map { device in
                var values: Templates.Values = [
                    "name": device.name,
                    "state": device.reachable
                        ? device.state["on"]?.bool.map { $0 ? localized("on") : localized("off") } ?? ""
                        : localized("unreachable"),
                ]
                if configuration != nil {
                    values["path"] = "/bridge/devices" + Query(["key": device.key]).text
                }
                return values
            },
        ]
        if let system = configuration?.systems?.first(where: { $0.id == driver.id }) {
            values["remove"] = system.id
            if system.values != nil { values["edit"] = "/bridge/systems" + Query(["id": system.id]).text }
        }
        return values
    }
}

extension SetupListing {
    /// The codes of all bridges, from a daemon of any version.
    var codes: [Bridge] {
        bridges ?? [Bridge(number: 1, name: "", code: code, payload: payload, paired: paired)]
    }
}
