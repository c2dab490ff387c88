internal import HAPModel
internal import HAPProtocol
internal import Logging

extension AccessoryServer {
    /// `GET /accessories`: returns the whole attribute database (HAP 9).
    func accessories(_ session: AccessorySession) {
        answer(session, HTTPResponse(200, .hapJSON, body: registry.databaseBody()))
    }

    /// `POST /identify`: makes accessory 1 identify itself, but only while no controller is paired (HAP 8.7).
    func identify(_ session: AccessorySession) {
        guard !isPaired else {
            answer(session, HTTPResponse(400, .hapJSON, body: HAPStatus.insufficientPrivileges.body))
            return
        }
        logger.info("accessory identified", metadata: ["aid": "1", "peer": "\(session.connection.peer)"])
        identify(.bridge)
        answer(session, HTTPResponse(204))
    }
}
