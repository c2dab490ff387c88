import AsyncKit
import HAPController
import HomeModel
import Logging

// Requests the ownership tokens that some accessories require from their vendors' apps. `VendorRequests` holds the
// requests.
extension HomeHub {
    /// Requests a token from the app of an accessory's vendor.
    ///
    /// Only apps that the user allowed to answer for the vendor receive the request. The user is asked about other apps
    /// that claim to answer for the vendor.
    ///
    /// - Returns: The app's ID, or the vendor's name if no app received the request.
    func handOver(
        _ addition: AdditionRequest, to home: Home.ID, of accessory: AdvertisedAccessory, vendor: String,
        by initiator: SessionID
    ) -> String {
        let code = addition.code ?? addition.payload?.setup?.code
        var generator = SystemRandomNumbers()
        let question = AddAccessoryRequest(
            id: AddAccessoryRequest.ID(using: &generator), home: home, accessoryName: accessory.name,
            category: accessory.category, requiresSetupPayloadURL: code == nil)
        let request = VendorRequests.Request(
            question: question, device: accessory.id, vendor: vendor, code: code, initiator: initiator,
            name: addition.name, deadline: .now.advanced(by: configuration.vendorTimeout))
        let ask = vendorRequests.add(request, sessions: vendorSessions(of: vendor))
        perform(ask.map { [$0] } ?? [])
        askForVendor(vendor)
        deadlineChanged.send()
        return ask.flatMap { sessions[$0.session]?.app } ?? vendor
    }

    /// Handles a request that a vendor's app has declined.
    func declined(_ id: AddAccessoryRequest.ID, by session: SessionID) throws(HomeError) {
        let request = try vendorRequests.answered(id, by: session)
        logger.info("addition declined", metadata: ["accessory": "\(request.device)"])
        failed(request, "the manufacturer's app declined")
    }

    /// Drops expired requests and notifies their initiators, whose calls were already answered.
    func vendorDeadlinesPassed(now: ContinuousClock.Instant) {
        for request in vendorRequests.deadlinesPassed(now: now) {
            logger.warning(
                "vendor app timed out",
                metadata: ["accessory": "\(request.device)", "error": "\(HomeError(.addAccessoryFailed))"])
            failed(request, "the manufacturer's app didn't answer in time")
        }
    }

    private func failed(_ request: VendorRequests.Request, _ reason: String) {
        let failure = AccessoryAdditionFailure(
            home: request.question.home, accessory: request.device, name: request.question.accessoryName,
            error: HomeError(.addAccessoryFailed, detail: "the accessory couldn't be added: \(reason)"))
        perform(feed.notifyAnyone(.additionFailed(failure), request.initiator))
    }

    // MARK: Sessions of vendors' apps

    /// Sends waiting requests to a newly authorized session of a vendor's app.
    func vendorSessionAuthorized(_ session: SessionID) {
        guard let vendor = sessions[session]?.vendor else { return }
        if mayAnswer(session, for: vendor) {
            perform(vendorRequests.came(session, vendor: vendor))
        } else if vendorRequests.isPending(vendor: vendor) {
            askForVendor(vendor)
        }
    }

    /// Reassigns the requests of a session that can no longer answer.
    func vendorSessionLost(_ session: SessionID) {
        perform(
            vendorRequests.went(session) { vendor in vendorSessions(of: vendor).filter { $0 != session } })
    }

    /// Sends a session's requests again when the session reloads its homes, because it may have missed them.
    func repeatVendorRequests(to session: SessionID) { perform(vendorRequests.asked(session)) }

    private func perform(_ asks: [VendorRequests.Ask]) {
        for ask in asks { notify(.addAccessoryRequest(ask.question), [ask.session]) }
    }

    /// Returns the sessions that may answer for a vendor, newest first, because the user is probably looking at the
    /// newest.
    private func vendorSessions(of vendor: String) -> [SessionID] {
        sessions.keys.filter { mayAnswer($0, for: vendor) }.sorted(by: >)
    }

    /// A Boolean value that indicates whether the user allows a session's app to answer for a vendor.
    private func mayAnswer(_ session: SessionID, for vendor: String) -> Bool {
        feed.isAuthorized(session) && claim(of: session, to: vendor).flatMap(consents.isAllowed) == true
    }

    /// Asks the user about each app that claims to act for a vendor and has no decision yet.
    private func askForVendor(_ vendor: String) {
        for session in sessions.keys.sorted() where feed.isAuthorized(session) {
            guard let claim = claim(of: session, to: vendor), let app = permissions.app(of: session),
                let question = consents.vendorWanted(claim, app.usageDescription)
            else { continue }
            notify(.consentAsked(question), permissions.answering)
        }
    }

    /// Returns the claim of a session's app to answer for a vendor; `nil` if it has no claim.
    func claim(of session: SessionID, to vendor: String) -> VendorClaimID? {
        guard sessions[session]?.vendor == vendor, let app = permissions.app(of: session) else { return nil }
        return VendorClaimID(app: app.identity, vendor: vendor)
    }
}
