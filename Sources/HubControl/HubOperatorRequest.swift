import BoundedJSON
import OperatorControl

/// A request to the hub's control socket.
enum HubOperatorRequest: OperatorCall {
    /// Returns ``HubStatusReport``.
    case status
    /// Returns ``HubDiagnostics``.
    case diagnostics
    /// Returns ``HubBackupListing``. Before that, the hub sends the parts of the file.
    case backup

    package enum CodingKeys: String, MethodKey {
        case status, diagnostics, backup
    }
}
