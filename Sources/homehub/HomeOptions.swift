import ArgumentParser
import BoundedJSON
import CommandKit
import Glibc
import HomeClient
import HomeModel
import HomePresentation
import SystemKit
import TerminalKit

/// The options that all commands accept, before or after the command's name.
struct HomeOptions: GlobalOptions, Sendable {
    @Option(help: ArgumentHelp("The home hub's socket.", valueName: "socket"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Connect as the app with this ID, which needs its own permission.", valueName: "id"))
    var app: String?

    @Option(
        help: ArgumentHelp("The home to use (default: the primary home).", valueName: "home"),
        completion: .names(.homes))
    var home: String?

    @Flag(help: "Print JSON with stable keys.")
    var json = false

    static let order = OptionOrder(flags: ["--json"], options: ["--socket", "--app", "--home"])

    private var declaration: AppDeclaration {
        AppDeclaration(
            id: app ?? SessionOpening.systemApp, usageDescription: "To control the home from the command line.",
            capabilities: [.home, .setupPayload])
    }

    func validate() throws {
        let plain = { (letter: Character) in
            letter.isASCII && (letter.isLetter || letter.isNumber || "-._".contains(letter))
        }
        if let app, app.isEmpty || !app.allSatisfy(plain) {
            throw ValidationError(
                "An app ID may contain only letters, digits, periods, hyphens and underscores, such as "
                    + "org.example.lights.")
        }
    }

    /// Connects without waiting for the homes.
    func withManager<Result: Sendable>(_ body: @Sendable (HomeManager) async throws -> Result) async throws -> Result {
        try await withHomeManager(declaration, socket: socket, timeouts: .ofPerson, body)
    }

    /// Connects and waits for the homes, and for permission to access them if necessary.
    func withHomes(_ body: @Sendable (HomeSession) async throws -> Void) async throws {
        try await withManager { manager in
            try await waitUntilLoaded(manager)
            try await body(HomeSession(manager: manager, options: self))
        }
    }

    private func waitUntilLoaded(_ manager: HomeManager) async throws {
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await manager.waitUntilLoaded()
                    return true
                }
                group.addTask {
                    try await hint(manager)
                    return false
                }
                defer { group.cancelAll() }
                while let isLoaded = try await group.next(), !isLoaded {}
            }
        } catch let error as HomeError where error.code == .homeAccessNotAuthorized {
            let isRestricted = await manager.authorizationStatus.contains(.restricted)
            let reason = isRestricted ? "remove the app or user from restrict in homehub.yaml" : remedy
            throw HomeError(error.code, detail: "\(declaration.id) isn't allowed to access the home; \(reason)")
        }
    }

    /// Asks for confirmation before an operation that can't be undone.
    ///
    /// - Throws: `TerminalError` with code 75 if the user declines, or 64 if no user can answer.
    func confirm(_ warning: String, yes: Bool, remedy: String = "use --yes") async throws {
        guard !yes else { return }
        guard !json else {
            throw TerminalError(code: 64, message: "can't ask for confirmation with --json; \(remedy)")
        }
        guard try await Terminal.current.answer(to: "\(warning.sanitized) Type yes to continue: ") == "yes" else {
            throw TerminalError(code: 75, message: "canceled; nothing was changed")
        }
    }

    /// The delay before the hint about a pending permission.
    ///
    /// Tests can override it.
    @TaskLocal static var hintDelay = Duration.seconds(1)

    /// Prints a remedy if the permission isn't granted immediately.
    private func hint(_ manager: HomeManager) async throws {
        try await Task.sleep(for: Self.hintDelay)
        // The user is asked only after the connection is established.
        while await !manager.isConnected { try await Task.sleep(for: .milliseconds(50)) }
        guard await !manager.authorizationStatus.contains(.determined) else { return }
        Terminal.current.writeError("homehub: waiting for permission to access the home; \(remedy)\n")
    }

    /// The command that grants the permission.
    ///
    /// It includes the user, because several users may run apps with the same ID, such as this command.
    private var remedy: String {
        "root or a member of the homehub group can allow it with \(ShellCommand.homehub) privacy allow \(declaration.id) "
            + "--user \(SystemUser.name(of: getuid()))"
    }
}

/// The loaded homes and the output of a command.
struct HomeSession: Sendable {
    let manager: HomeManager
    let options: HomeOptions

    /// The selected home.
    var home: Home {
        get async throws { try await manager.homes.home(options.home) }
    }

    /// The time that a list waits for accessories that have never been read.
    @TaskLocal static var glanceTimeout = Duration.seconds(3)

    /// Returns the selected home with values to show.
    ///
    /// It first reads the values that have never been received or, if `isAsked` is `true`, all values. Values that
    /// arrive after ``glanceTimeout`` aren't included.
    ///
    /// - Throws: `HomeError` with code 2 if there is no such home.
    func glance(isAsked: Bool) async throws -> Home {
        let home = try await home
        let values = home.valuesOfRows(isUnknown: !isAsked)
        guard !values.isEmpty else { return home }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = try? await manager.readValues(of: values)
                return true
            }
            group.addTask {
                do {
                    try await Task.sleep(for: min(.seconds(1), Self.glanceTimeout))
                    sayThatItGoesOn("reading values from the accessories")
                    try await Task.sleep(for: Self.glanceTimeout - min(.seconds(1), Self.glanceTimeout))
                } catch {}
                return true
            }
            _ = await group.next()
            group.cancelAll()
        }
        return try await self.home
    }

    /// Prints human-readable text, or JSON with `--json`.
    func print(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
        Terminal.current.write(options.json ? json().text + "\n" : text())
    }

    /// Prints the created or changed object, but only with `--json`.
    ///
    /// Otherwise, silence means success.
    func print(json: JSONValue) {
        if options.json { Terminal.current.write(json.text + "\n") }
    }

    /// The delay before the progress message of a slow operation.
    ///
    /// Tests can override it.
    @TaskLocal static var progressDelay = Duration.seconds(1)

    /// Runs an operation, and prints a progress message if it takes a while.
    func saying<Result>(_ what: String, _ body: () async throws -> Result) async rethrows -> Result {
        let hint = Task {
            try await Task.sleep(for: Self.progressDelay)
            sayThatItGoesOn(what)
        }
        defer { hint.cancel() }
        return try await body()
    }

    /// Prints notes about results that differ from the input.
    ///
    /// With `--json`, it prints nothing, because the listing contains the same information.
    func note(_ sentences: [String]) {
        guard !options.json else { return }
        for sentence in sentences { Terminal.current.writeError("homehub: \(sentence)".sanitized + "\n") }
    }

    /// Prints that the command is waiting, and how to end it.
    func sayThatItGoesOn(_ what: String) {
        guard Terminal.current.isTerminal(), !options.json else { return }
        Terminal.current.writeError("\(what); press Ctrl-C to stop\n")
    }

    /// See ``HomeOptions/confirm(_:yes:remedy:)``.
    func confirm(_ warning: String, yes: Bool, remedy: String = "use --yes") async throws {
        try await options.confirm(warning, yes: yes, remedy: remedy)
    }
}

/// A command that needs the homes.
protocol HomeCommand: AsyncParsableCommand, Sendable {
    var options: HomeOptions { get }

    func run(_ session: HomeSession) async throws
}

extension HomeCommand {
    func run() async throws { try await options.withHomes { try await run($0) } }
}
