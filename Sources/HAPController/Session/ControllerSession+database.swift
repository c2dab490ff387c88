package import HAPModel
package import HAPProtocol
package import Logging

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

extension Logger {
    /// Warns of the parts of an accessory's database that are left out.
    package func warn(ofOmissionsIn database: AccessoryDatabase, of accessory: DeviceID) {
        guard !database.omissions.isEmpty else { return }
        warning(
            "accessory database incomplete",
            metadata: ["accessory": "\(accessory)", "left-out": .array(database.omissions.map { "\($0)" })])
    }
}
