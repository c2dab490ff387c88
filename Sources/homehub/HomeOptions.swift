import ArgumentParser
import BoundedJSON
import CommandKit
import Glibc
import HomeClient
import HomeModel
import HomePresentation
import TerminalKit

/// What every command takes, before or behind its name.
struct HomeOptions: GlobalOptions, Sendable {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "socket"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Appear as the app with this id, which needs a permission of its own.", valueName: "id"))
    var app: String?

    @Option(
        help: ArgumentHelp("The home that is meant; the primary one if left out.", valueName: "home"),
        completion: .names(.homes))
    var home: String?

    @Flag(help: "Print JSON with stable keys.")
    var json = false

    static let order = OptionOrder(flags: ["--json"], options: ["--socket", "--app", "--home"])

    private var declaration: AppDeclaration {
        AppDeclaration(
            id: app ?? SessionOpening.systemApp, usageDescription: "To look after the home from the command line.",
            capabilities: [.home, .setupPayload])
    }

    func validate() throws {
        let plain = { (letter: Character) in
            letter.isASCII && (letter.isLetter || letter.isNumber || "-._".contains(letter))
        }
        if let app, app.isEmpty || !app.allSatisfy(plain) {
            throw ValidationError(
                "The id of an app holds letters, digits, points and dashes, such as org.example.lights.")
        }
    }

    /// Connects, without waiting for the homes.
    func withManager<Result: Sendable>(_ body: @Sendable (HomeManager) async throws -> Result) async throws -> Result {
        try await withHomeManager(declaration, socket: socket, timeouts: .ofPerson, body)
    }

    /// Connects, waits for the homes, and if need be for the permission to see them.
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
            let reason = isRestricted ? "the configuration of homehubd keeps it or its user out" : remedy
            throw HomeError(error.code, detail: "\(declaration.id) may not see the home; \(reason)")
        }
    }

    /// How long nothing is said of a question of permission that is open, unless a test brings another time.
    @TaskLocal static var hintDelay = Duration.seconds(1)

    /// Says what to do if the question of permission is not answered at once.
    private func hint(_ manager: HomeManager) async throws {
        try await Task.sleep(for: Self.hintDelay)
        // Before there is a connection the person is not asked.
        while await !manager.isConnected { try await Task.sleep(for: .milliseconds(50)) }
        guard await !manager.authorizationStatus.contains(.determined) else { return }
        Terminal.current.writeError("homehub: waiting for permission to see the home; \(remedy)\n")
    }

    /// What somebody has to do who may decide; several users may run apps of the same id, this command above all.
    private var remedy: String {
        "root, or a member of the group homehub, allows it with "
            + "\"homehub privacy allow \(declaration.id) --user \(getuid())\""
    }
}

/// The homes, and how to show what comes of them.
struct HomeSession: Sendable {
    let manager: HomeManager
    let options: HomeOptions

    /// The home that is meant.
    var home: Home {
        get async throws { try await manager.homes.home(options.home) }
    }

    /// How long a list waits for accessories that were never asked before.
    @TaskLocal static var glanceTimeout = Duration.seconds(3)

    /// The home that is meant, with values to show.
    ///
    /// Values that were never received are read, or all of them; late ones stay unknown.
    ///
    /// - Throws: 2 if there is no such home.
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
                    sayThatItGoesOn("asking the accessories")
                    try await Task.sleep(for: Self.glanceTimeout - min(.seconds(1), Self.glanceTimeout))
                } catch {}
                return true
            }
            _ = await group.next()
            group.cancelAll()
        }
        return try await self.home
    }

    /// Prints for people, or for programs.
    func print(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
        Terminal.current.write(options.json ? json().text + "\n" : text())
    }

    /// Prints what was made or changed for programs; for people, silence means success.
    func print(json: JSONValue) {
        if options.json { Terminal.current.write(json.text + "\n") }
    }

    /// How long nothing is said of something that takes its time, unless a test brings another time.
    @TaskLocal static var progressDelay = Duration.seconds(1)

    /// Does what may take a while, and says so to a person who looks at an empty screen.
    func saying<Result>(_ what: String, _ body: () async throws -> Result) async rethrows -> Result {
        let hint = Task {
            try await Task.sleep(for: Self.progressDelay)
            sayThatItGoesOn(what)
        }
        defer { hint.cancel() }
        return try await body()
    }

    /// Tells people, beside what is printed, what came out otherwise than they wrote it; programs have it in the listing.
    func note(_ sentences: [String]) {
        guard !options.json else { return }
        for sentence in sentences { Terminal.current.writeError("homehub: \(sentence)".sanitized + "\n") }
    }

    /// Tells a person who looks at an empty screen that the command waits, and how to end it.
    func sayThatItGoesOn(_ what: String) {
        if Terminal.current.isTerminal(), !options.json { Terminal.current.writeError("\(what); Ctrl-C ends it\n") }
    }

    /// Asks before something that cannot be undone.
    ///
    /// - Throws: `TerminalError` with 75 if the person does not want it, 64 if no person can answer.
    func confirm(_ warning: String, yes: Bool, remedy: String = "add --yes to remove it") async throws {
        guard !yes else { return }
        guard !options.json else {
            throw TerminalError(code: 64, message: "with --json nothing is asked; \(remedy)")
        }
        guard try await Terminal.current.answer(to: "\(warning.sanitized) Type yes to continue: ") == "yes" else {
            throw TerminalError(code: 75, message: "nothing has been changed")
        }
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
