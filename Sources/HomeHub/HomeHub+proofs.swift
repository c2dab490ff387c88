import AsyncKit
import HAPController
import HomeModel
import Logging

import struct HAPModel.SetupPayload

extension HomeHub {
    /// The sessions of a maker's app that may be asked, the newest first: it is likely the one that is looked at.
    private func sessions(of vendor: String) -> [SessionID] {
        sessions.filter { $1.vendor == vendor && feed.isAuthorized($0) }.keys.sorted(by: >)
    }

    /// Asks the maker's app of an accessory for its proof.
    ///
    /// - Returns: what the app is called; if it is not there yet, whose it is.
    func handOver(
        _ addition: AdditionRequest, to home: Home.ID, of accessory: HAPController.DiscoveredAccessory, vendor: String
    ) -> String {
        let code = addition.code ?? addition.payload?.setup?.code
        let question = AddAccessoryRequest(
            id: AddAccessoryRequest.ID(using: &generator), home: home, accessoryName: accessory.name,
            category: accessory.category, requiresSetupPayloadURL: code == nil)
        let request = VendorRequests.Request(
            question: question, device: accessory.id, vendor: vendor, code: code, name: addition.name,
            deadline: .now.advanced(by: configuration.vendorPatience))
        let ask = vendorRequests.add(request, sessions: sessions(of: vendor))
        perform(ask.map { [$0] } ?? [])
        deadlineChanged.send()
        return ask.flatMap { sessions[$0.session]?.app } ?? vendor
    }

    /// A session may be asked from now on, if it is a maker's app's.
    func askForProofs(_ session: SessionID) {
        guard let vendor = sessions[session]?.vendor else { return }
        perform(vendorRequests.came(session, vendor: vendor))
    }

    /// A session loads its homes anew; what it was asked before may have been lost on the way.
    func repeatQuestions(to session: SessionID) { perform(vendorRequests.asked(session)) }

    /// A session can be asked no more.
    func askOthersForProofs(insteadOf session: SessionID) {
        perform(vendorRequests.went(session) { self.sessions(of: $0).filter { $0 != session } })
    }

    /// A maker's app will not add what it was asked to.
    func decline(_ id: AddAccessoryRequest.ID, by session: SessionID) throws(HomeError) {
        let request = try vendorRequests.answered(id, by: session)
        logger.info("a maker's app declined to add an accessory", metadata: ["accessory": "\(request.device)"])
    }

    /// Nobody has answered in time; whoever began has its answer already.
    func lapse(_ requests: [VendorRequests.Request]) {
        for request in requests {
            logger.warning(
                "an accessory was not added, because its maker's app did not answer",
                metadata: ["accessory": "\(request.device)", "error": "\(HomeError(.addAccessoryFailed))"])
        }
    }

    private func perform(_ asks: [VendorRequests.Ask]) {
        for ask in asks { perform(feed.tell(.addAccessoryRequest(ask.question), to: [ask.session])) }
    }
}
