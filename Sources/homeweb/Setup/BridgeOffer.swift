import AsyncKit
import BridgeControl
import HTTPTypes
import HomeModel
import LineRPC
import TerminalKit
import Texts

/// The offer to add the devices of the bridge that runs on this computer, without typing its setup code.
enum BridgeOffer {
    /// The longest time that a page waits for the bridge.
    private static let timeout = Duration.seconds(1)

    /// Returns the values of the offer's template, or `nil` if no unpaired bridge runs here or the visitor isn't an owner.
    static func values(_ socket: SocketLocation, _ moment: Moment) async -> Templates.Values? {
        guard moment.visitor.isOwner, let home = moment.home, let status = await status(socket),
            let bridge = status.bridges?.first(where: { !$0.paired && $0.lights > 0 })
        else { return nil }
        var about = localized(
            "This computer makes \(bridge.lights) device available to HomeKit. You can add it to \(home.name) without a code.",
            plural:
                "This computer makes \(bridge.lights) devices available to HomeKit. You can add them to \(home.name) without a code.",
            count: bridge.lights)
        if status.drivers.allSatisfy({ $0.driver == "simulated" }) {
            about +=
                " "
                + localized("This is a simulation to try out the page. Add your light systems under Bridge.")
        }
        return ["home": "\(home.id)", "name": bridge.name, "about": about]
    }

    private static func status(_ socket: SocketLocation) async -> BridgeStatus? {
        let status = try? await withTimeLimit(timeout) {
            try? await BridgeControlClient.connect(to: socket) { try await $0.status() }
        }
        return status ?? nil
    }

    /// Returns the content of the QR code of the first unpaired bridge.
    ///
    /// - Throws: `WebError` if no bridge can be added.
    static func payload(_ site: Site) async throws(WebError) -> AccessorySetupPayload {
        let setup: SetupListing
        do {
            setup = try await BridgeControlClient.connect(to: site.bridgeSocket) { try await $0.setup(force: false) }
        } catch {
            let reason = (error as? BridgeControlError)?.message ?? "\(error)"
            throw WebError(
                .serviceUnavailable, localized("Can't get the setup code of this computer's bridge: \(reason)."))
        }
        guard let text = setup.codes.first(where: { !$0.paired })?.payload,
            let payload = AccessorySetupPayload(url: text)
        else { throw WebError(.conflict, localized("The bridge of this computer already belongs to a home.")) }
        return payload
    }
}
