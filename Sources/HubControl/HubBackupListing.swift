import OperatorControl

/// The result of a backup, sent after its bytes.
package struct HubBackupListing: OperatorMessage {
    /// The size in bytes.
    package var size: Int
    /// A Boolean value that indicates whether the backup contains the history.
    package var hasHistory: Bool

    package init(size: Int, hasHistory: Bool) {
        self.size = size
        self.hasHistory = hasHistory
    }
}
