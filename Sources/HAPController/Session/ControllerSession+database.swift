internal import HAPModel
package import HAPProtocol
internal import Logging

extension ControllerSession {
    /// Reads the attribute database.
    ///
    /// - Throws: ``SetupError``: `outOfCompliance`, `unexpectedStatus` or `ended`.
    package func readDatabase(within limit: Duration) async throws(SetupError) -> AccessoryDatabase {
        let response: HTTPResponse
        do throws(RequestError) {
            response = try await request(HTTPRequest(.get, "/accessories"), within: limit)
        } catch {
            throw SetupError(error)
        }
        guard response.status == 200 else { throw .unexpectedStatus(response.status) }
        do throws(ComplianceError) {
            return try AccessoryDatabase(parsing: response.body)
        } catch {
            throw .outOfCompliance(error)
        }
    }
}

extension AccessoryDatabase {
    /// Logs the services and characteristics that the parser omitted.
    func logOmissions(of accessory: DeviceID, by logger: Logger) {
        guard !omissions.isEmpty else { return }
        logger.warning(
            "accessory database incomplete",
            metadata: ["accessory": "\(accessory)", "left-out": .array(omissions.map { "\($0)" })])
    }
}
