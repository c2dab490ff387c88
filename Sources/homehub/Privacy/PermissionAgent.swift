import HomeClient
import SystemKit
import TerminalKit

/// Asks the user at the terminal about permissions.
///
/// The wording of the questions is fixed. Only the reason is written by the app, and is marked as such.
struct PermissionAgent: Sendable {
    let terminal: Terminal

    static func question(about question: PersonQuestion) -> String {
        switch question {
        case .permission(let permission):
            text(
                "Allow \(permission.app.app.sanitized) to see and control your homes?", permission.app,
                permission.usageDescription)
        case .consent(let question): text(title(of: question), question.app, question.usageDescription)
        }
    }

    private static func title(of question: ConsentQuestion) -> String {
        let (app, name) = (question.app.app.sanitized, question.name.sanitized)
        return switch question.subject {
        case .addition:
            "Allow \(app) to add \(name.isEmpty ? "an accessory" : "the accessory \"\(name)\"") to your homes "
                + "this time?"
        case .vendor: "Allow \(app) to help set up all accessories made by \"\(name)\"?"
        case .automation:
            "Allow \(app) to set up the automation \"\(name)\", which unlocks, opens or disarms something without asking?"
        }
    }

    private static func text(_ title: String, _ app: AppIdentity, _ usageDescription: String) -> String {
        """
        \(title)
          program  \(app.coverage)
          reason   "\(usageDescription.sanitized)"
        Type allow or deny, or press Enter to decide later: \

        """
    }

    /// Returns the user's decision, or `nil` to leave the question open.
    ///
    /// - Throws: `TerminalError` if no person can answer.
    func decision(about question: PersonQuestion) async throws -> PermissionDecision? {
        var question = Self.question(about: question)
        while true {
            guard let answer = await terminal.ask(question) else {
                try Task.checkCancellation()
                throw TerminalError.usage(
                    "can't ask for decisions here; run the agent in a terminal, or use \(ShellCommand.homehub) privacy allow"
                )
            }
            switch answer.lowercased() {
            case "allow": return .allow
            case "deny": return .deny
            case "": return nil
            default: question = "Type allow or deny, or press Enter to decide later: "
            }
        }
    }
}
