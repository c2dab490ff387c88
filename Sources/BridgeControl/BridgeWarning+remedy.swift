internal import SystemKit

extension BridgeWarning.Code {
    /// The remedy for all problems of this topic, or `nil` if the messages themselves contain it.
    package var remedy: String? {
        switch self {
        case .setupAttempts:
            "If these attempts weren't yours, choose another bridge.setup-code. Too many attempts lock pairing until you "
                + "run \(ShellCommand.lamplighterAsRoot) pairings unlock."
        case .storage: "Make room on the disk, or repair it. Without that, a restart loses the latest changes."
        case .cloneDetection:
            "Stop the other bridge, or give it a new identity there with \(ShellCommand.lamplighterAsRoot) reset."
        case .notAdvertised: "To find the cause, run \(ShellCommand.lamplighterAsRoot) doctor."
        case .nameTaken: "Apps that are paired still find the bridge. To end this, choose another bridge.name."
        default: nil
        }
    }
}
