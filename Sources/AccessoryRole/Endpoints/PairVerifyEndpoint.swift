internal import HAPCrypto
internal import HAPProtocol
internal import Logging

extension AccessoryServer {
    /// `POST /pair-verify`: starts a session (HAP 6).
    ///
    /// After a failure, the connection stays open for another attempt.
    func pairVerify(_ body: [UInt8], _ session: AccessorySession) {
        switch session.pairVerify.received(body, ephemeral: SecretBytes.random(count: 32), pairings: pairings) {
        case .reply(let body): answer(session, HTTPResponse(200, .pairingTLV8, body: body))
        case .refuse: answer(session, HTTPResponse(400))
        case .finish(let body, let controller, let keys):
            session.controller = controller
            proved(session)
            logger.debug(
                "session started", metadata: ["controller": "\(controller)", "peer": "\(session.connection.peer)"])
            answer(session, HTTPResponse(200, .pairingTLV8, body: body), thenSecureWith: keys)
        }
    }
}
