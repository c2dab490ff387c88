import HomeClient
import TerminalKit

/// Puts questions of permission to the person at the terminal.
///
/// What is asked is in our words; the app supplies nothing but its reason, which is shown as its own.
struct PermissionAgent: Sendable {
    let terminal: Terminal

    /// The question as it is shown.
    static func question(about permission: AppPermission) -> String {
        let app = permission.app
        let program = app.executable.isEmpty ? "not visible" : app.executable.sanitized
        let reason = permission.usageDescription.sanitized
        return """
            Let \(app.app.sanitized) see and control your homes?
              program  \(program), run by user \(app.uid)
              it says  "\(reason)"
            Write allow or deny; Enter leaves the question open: \

            """
    }

    /// What the person decides; `nil` to leave the question open.
    ///
    /// - Throws: `TerminalError` if no person can answer.
    func decision(about permission: AppPermission) async throws -> PermissionDecision? {
        var question = Self.question(about: permission)
        while true {
            terminal.writeError(question)
            guard let answer = await terminal.readLine() else {
                try Task.checkCancellation()
                throw TerminalError.usage(
                    "no person can answer; run the agent in a terminal, or use homehub privacy allow")
            }
            switch answer.lowercased() {
            case "allow": return .allow
            case "deny": return .deny
            case "": return nil
            default: question = "Write allow or deny, or nothing: "
            }
        }
    }
}
