import ArgumentParser
import BoundedJSON
import Glibc
import HomeClient
import SystemKit
import TerminalKit

struct PrivacyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "privacy", abstract: "Decide which apps may access your homes.",
        discussion: "Only root, members of the homehub group, and the user that homehubd runs as can decide.",
        subcommands: [
            PrivacyListCommand.self, PrivacyAllowCommand.self, PrivacyDenyCommand.self, PrivacyResetCommand.self,
            PrivacyAgentCommand.self,
        ],
        defaultSubcommand: PrivacyListCommand.self)
}

struct PrivacyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the apps that asked for access, and the decisions.")

    @OptionGroup var options: HomeOptions

    func run() async throws {
        let permissions = try await options.withManager { try await $0.permissions() }.sorted()
        Terminal.current.write(
            options.json
                ? JSONValue.array(permissions.map(\.listing)).text + "\n" : PermissionListing.text(of: permissions))
    }
}

struct AppOptions: ParsableArguments, Sendable {
    @Argument(help: "The app's ID, as homehub privacy shows it.")
    var name: String

    @Option(help: ArgumentHelp("The user who runs the app, by name or number.", valueName: "user"))
    var user: UserName?

    @Option(help: ArgumentHelp("The program, if several programs use this ID.", valueName: "path"))
    var program: String?

    @Option(
        help: ArgumentHelp(
            "Apply the decision to the setup of this manufacturer's accessories, not to access to the homes.",
            valueName: "maker"))
    var vendor: String?

    @Flag(help: "Don't ask for confirmation, not even for another user's program.")
    var yes = false
}

/// A system user, given by name or number.
struct UserName: ExpressibleByArgument, Sendable {
    let uid: UInt32

    init(_ uid: UInt32) { self.uid = uid }

    init?(argument: String) {
        guard let uid = UInt32(argument) ?? SystemUser.id(of: argument) else { return nil }
        self.uid = uid
    }

    /// The user's name, or the number of a user who has no name.
    var name: String { SystemUser.name(of: uid).sanitized }
}

/// A command that sets a permission of an app.
protocol PrivacyDecision: AsyncParsableCommand, Sendable {
    static var decision: PermissionDecision { get }
    var subject: AppOptions { get }
    var options: HomeOptions { get }
}

extension PrivacyDecision {
    func run() async throws {
        try await options.withManager { manager in
            let app = try await manager.permissions().app(
                subject.name, user: subject.user?.uid, program: subject.program)
            // Any program of any user can claim any ID.
            if Self.decision == .allow, subject.user == nil, app.uid != getuid() {
                try await HomeSession(manager: manager, options: options).confirm(
                    "This applies to \(app.coverage).", yes: subject.yes,
                    remedy: "use --user \(UserName(app.uid).name)")
            }
            if let vendor = subject.vendor {
                try await manager.setVendor(Self.decision, of: vendor, for: app)
            } else {
                try await manager.setPermission(Self.decision, for: app)
            }
            guard Self.decision == .allow, !options.json else { return }
            Terminal.current.write("Allowed for \(app.coverage).\n")
        }
    }
}

struct PrivacyAllowCommand: PrivacyDecision {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Allow an app to see and control your homes.")
    static let decision = PermissionDecision.allow

    @OptionGroup var subject: AppOptions
    @OptionGroup var options: HomeOptions
}

struct PrivacyDenyCommand: PrivacyDecision {
    static let configuration = CommandConfiguration(
        commandName: "deny", abstract: "Deny an app access to your homes, effective immediately.")
    static let decision = PermissionDecision.deny

    @OptionGroup var subject: AppOptions
    @OptionGroup var options: HomeOptions
}

struct PrivacyResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Forget decisions, so that apps have to ask again.")

    @Argument(help: "The app's ID (default: all apps).")
    var name: String?

    @Option(help: ArgumentHelp("The user who runs the app, by name or number.", valueName: "user"))
    var user: UserName?

    @Option(help: ArgumentHelp("The program, if several programs use this ID.", valueName: "path"))
    var program: String?

    @Option(
        help: ArgumentHelp(
            "Forget only the decision about the setup of this manufacturer's accessories.", valueName: "maker"))
    var vendor: String?

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard vendor == nil || name != nil else { throw ValidationError("To use --vendor, specify an app.") }
    }

    func run() async throws {
        try await options.withManager { [self] manager in
            let permissions = try await manager.permissions()
            guard name == nil else {
                let app = try permissions.app(name ?? "", user: user?.uid, program: program)
                guard let vendor else { return try await manager.setPermission(.forget, for: app) }
                return try await manager.setVendor(.forget, of: vendor, for: app)
            }
            let decided = permissions.filter { $0.status.contains(.determined) && !$0.status.contains(.restricted) }
            guard !decided.isEmpty else { return }
            try await HomeSession(manager: manager, options: options).confirm(
                "\(decided.count.of("app")) will have to ask again.", yes: yes)
            for permission in decided { try await manager.setPermission(.forget, for: permission.app) }
        }
    }
}

struct PrivacyAgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Ask you about each app that requests access, until you press Ctrl-C.")

    @OptionGroup var options: HomeOptions

    func run() async throws {
        try await options.withManager { manager in
            try await manager.withQuestions { questions in
                let agent = PermissionAgent(terminal: Terminal.current)
                for await question in questions {
                    guard let decision = try await agent.decision(about: question) else { continue }
                    do {
                        switch question {
                        case .permission(let permission):
                            try await manager.setPermission(decision, for: permission.app)
                        case .consent(let question): try await manager.answer(question, isAllowed: decision == .allow)
                        }
                    } catch let error as HomeError where error.code == .notFound {
                        // Another person has answered, or the app has ended.
                        Terminal.current.write("This question has already been answered.\n")
                    }
                }
            }
        }
        try Task.checkCancellation()
        throw HomeError(.daemonUnavailable)
    }
}
