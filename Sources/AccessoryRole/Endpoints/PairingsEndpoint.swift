internal import HAPProtocol

extension AccessoryServer {
    /// `POST /pairings` (HAP 6.4): adds, removes or lists pairings, for admins only.
    func pairings(_ body: [UInt8], _ session: AccessorySession, from controller: ControllerID) {
        let request: PairingsRequest
        do throws(ProtocolViolation) {
            request = try PairingsRequest(parsing: body)
        } catch {
            answer(session, HTTPResponse(400))
            return
        }
        // Check the current permission: the controller may have lost its admin rights since pair verify.
        guard pairings[controller]?.isAdmin == true else {
            respond(.failed(.authentication), session)
            return
        }
        let id = session.id
        switch request {
        case .list: respond(.list(pairings.pairings), session)
        case .add(let pairing): run(session) { await $0.add(pairing, id, from: controller) }
        case .remove(let removed): run(session) { await $0.remove(removed, id, from: controller) }
        }
    }

    private func respond(_ response: PairingsResponse, _ session: AccessorySession) {
        answer(session, HTTPResponse(200, .pairingTLV8, body: response.encoded))
    }

    private func add(_ pairing: Pairing, _ id: ConnectionID, from controller: ControllerID) async {
        let outcome = await changePairings(by: "\(controller)") { (list: inout PairingList) throws(PairingError) in
            try Self.checkAdmin(controller, in: list)
            if let known = list[pairing.controller] {
                guard known.publicKey == pairing.publicKey else { throw .unknown }
            } else if list.isFull {
                throw .maxPeers
            }
            list.set(pairing)
            // An admin may demote itself. If no admin remains, all pairings are removed.
            list.purgeWithoutAdmin()
        }
        finish(outcome, id)
    }

    private func remove(_ removed: ControllerID, _ id: ConnectionID, from controller: ControllerID) async {
        let outcome = await changePairings(by: "\(controller)") { (list: inout PairingList) throws(PairingError) in
            try Self.checkAdmin(controller, in: list)
            list.remove(removed)
        }
        finish(outcome, id)
    }

    /// Checks the permission again, because the caller may have lost it while waiting for other changes.
    private static func checkAdmin(_ caller: ControllerID, in list: PairingList) throws(PairingError) {
        guard list[caller]?.isAdmin == true else { throw .authentication }
    }

    private func finish(_ outcome: Result<Void, PairingError>, _ id: ConnectionID) {
        guard case .success = outcome else {
            if case .failure(let error) = outcome, let session = sessions[id] { respond(.failed(error), session) }
            return
        }
        // The required order is: store, respond, close sessions, update mDNS (HAP 6.5).
        if let session = sessions[id] {
            if isUnpaired(session) { session.closesAfterAnswer = true }
            respond(.done, session)
        }
        closeUnpairedSessions(except: id)
        advertisePairings()
    }
}
