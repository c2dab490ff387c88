internal import HAPProtocol
internal import Logging

extension AccessoryServer {
    /// `GET /accessories`: the whole attribute database (hap.md 9).
    func accessories(_ session: AccessorySession) {
        let body = registry.here(()) { registry, _ in registry.databaseBody() }
        answer(session, HTTPResponse(200, .hapJSON, body: body))
    }

    /// `POST /identify`: shows which bridge this is, as long as nobody has paired (hap.md 8.7).
    func identify(_ session: AccessorySession) {
        guard !isPaired else {
            answer(session, HTTPResponse(400, .hapJSON, body: HAPStatus.insufficientPrivileges.body))
            return
        }
        logger.info(
            "identify: this is the bridge that was asked for", metadata: ["peer": "\(session.connection.peer)"])
        answer(session, HTTPResponse(204))
    }
}
