import HAPController
import HomeModel
import Logging

import struct HAPModel.DeviceID
import struct HAPModel.SetupPayload

/// Asks makers' apps for the ownership tokens of accessories that can be added with one only.
final class VendorApps {
    private var requests = VendorRequests()

    /// Asks the maker's app of an accessory for its token.
    ///
    /// Only apps are asked that the user lets answer for this maker; the user is asked about others that want to.
    ///
    /// - Returns: what the app is called; if it is not there yet, the vendor's name.
    func handOver(
        _ addition: AdditionRequest, to home: Home.ID, of accessory: HAPController.DiscoveredAccessory, vendor: String,
        by initiator: SessionID, in hub: isolated HomeHub
    ) -> String {
        let code = addition.code ?? addition.payload?.setup?.code
        var generator = SystemRandomNumbers()
        let question = AddAccessoryRequest(
            id: AddAccessoryRequest.ID(using: &generator), home: home, accessoryName: accessory.name,
            category: accessory.category, requiresSetupPayloadURL: code == nil)
        let request = VendorRequests.Request(
            question: question, device: accessory.id, vendor: vendor, code: code, initiator: initiator,
            name: addition.name, deadline: .now.advanced(by: hub.configuration.vendorTimeout))
        let ask = requests.add(request, sessions: hub.sessions.sessions(ofVendor: vendor))
        perform(ask.map { [$0] } ?? [], in: hub)
        hub.sessions.askForVendor(vendor, in: hub)
        hub.deadlineAdded()
        return ask.flatMap { hub.sessions.app(of: $0.session) } ?? vendor
    }

    /// Whether an app is asked about an accessory.
    func isPending(_ device: DeviceID) -> Bool { requests.isPending(device) }

    /// As `VendorRequests.answered`.
    func answered(
        _ id: AddAccessoryRequest.ID, by session: SessionID, for home: Home.ID
    ) throws(HomeError) -> VendorRequests.Request { try requests.answered(id, by: session, for: home) }

    /// A maker's app will not add what it was asked to.
    func declined(_ id: AddAccessoryRequest.ID, by session: SessionID, in hub: isolated HomeHub) throws(HomeError) {
        let request = try requests.answered(id, by: session)
        hub.logger.info("addition declined", metadata: ["accessory": "\(request.device)"])
        failed(request, "the maker's app has declined", in: hub)
    }

    /// Tells the app that began.
    private func failed(_ request: VendorRequests.Request, _ reason: String, in hub: isolated HomeHub) {
        let failure = AccessoryAdditionFailure(
            home: request.question.home, accessory: request.device, name: request.question.accessoryName,
            error: HomeError(.addAccessoryFailed, detail: "the accessory could not be added: \(reason)"))
        hub.sessions.notifyAnyone(.additionFailed(failure), request.initiator, in: hub)
    }

    // MARK: Sessions

    /// A session may be asked from now on, if it is a maker's app's.
    func sessionPermitted(_ session: SessionID, in hub: isolated HomeHub) {
        guard let vendor = hub.sessions.vendor(of: session) else { return }
        if hub.sessions.mayAnswer(session, for: vendor) {
            perform(requests.came(session, vendor: vendor), in: hub)
        } else if requests.isPending(vendor: vendor) {
            hub.sessions.askForVendor(vendor, in: hub)
        }
    }

    /// A session can be asked no more; others are asked in its place.
    func sessionLost(_ session: SessionID, in hub: isolated HomeHub) {
        perform(
            requests.went(session) { vendor in
                hub.sessions.sessions(ofVendor: vendor).filter { $0 != session }
            }, in: hub)
    }

    /// A session loads its homes anew; what it was asked before may have been lost on the way.
    func repeatRequests(to session: SessionID, in hub: isolated HomeHub) { perform(requests.asked(session), in: hub) }

    private func perform(_ asks: [VendorRequests.Ask], in hub: isolated HomeHub) {
        for ask in asks { hub.sessions.notify(.addAccessoryRequest(ask.question), [ask.session], in: hub) }
    }

    // MARK: Time

    var nextDeadline: ContinuousClock.Instant? { requests.nextDeadline }

    /// Gives up what no app has answered in time; the app that began has its answer already, and is told.
    func deadlinesPassed(now: ContinuousClock.Instant, in hub: isolated HomeHub) {
        for request in requests.deadlinesPassed(now: now) {
            hub.logger.warning(
                "vendor app timed out",
                metadata: ["accessory": "\(request.device)", "error": "\(HomeError(.addAccessoryFailed))"])
            failed(request, "no app of its maker has answered in time", in: hub)
        }
    }
}
