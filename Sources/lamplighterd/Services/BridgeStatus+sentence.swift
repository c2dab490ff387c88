import BridgeControl
import SystemKit
import TerminalKit

extension BridgeStatus {
    /// The status as one line, for the service manager.
    var sentence: String {
        var parts: [String] = []
        switch advertisement.state {
        case .published: parts.append("advertised as \"\(advertisement.name)\"")
        case .off: parts.append("not advertised")
        default:
            parts.append(advertisement.error.map { "not advertised: \($0)" } ?? "not advertised yet")
        }
        parts.append(paired ? "paired, \(controllers.of("controller")) connected" : "not paired")
        let missing = lights.count - lights.reachable
        parts.append(deviceCounts + (missing > 0 ? ", \(missing) unreachable" : ""))
        let others = (warningCodes ?? []).count { $0 != .notAdvertised }
        if others > 0 { parts.append("\(others.of("warning")), see \(ShellCommand.lamplighter) status") }
        return parts.sentence
    }
}
