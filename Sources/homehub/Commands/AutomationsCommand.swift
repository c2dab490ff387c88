import ArgumentParser
import BoundedJSON
import HomeClient
import HomeModel
import HomePresentation
import TerminalKit

struct AutomationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "automations", abstract: "List, add, change, run and remove automations.",
        subcommands: [
            AutomationsListCommand.self, AutomationsAddCommand.self, AutomationsShowCommand.self,
            AutomationsEditCommand.self, AutomationsEnableCommand.self, AutomationsDisableCommand.self,
            AutomationsRenameCommand.self, AutomationsRemoveCommand.self, AutomationsRunCommand.self,
            AutomationsHistoryCommand.self, AutomationsExportCommand.self, AutomationsImportCommand.self,
        ],
        defaultSubcommand: AutomationsListCommand.self)
}

struct AutomationsListCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the automations with their next and last runs.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let statuses = try await session.statuses(of: home)
        let listings = AutomationListings(home)
        session.print(
            listings.automations(statuses),
            json: .array(home.triggers.sortedForDisplay.map { listings.listing(of: $0, statuses[$0.id]) }))
    }
}

struct AutomationsAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an automation.",
        discussion: """
            For example:

              homehub automations add "Evening" --at sunset-30m --days mon-fri --if "anyone home" --run "Evening Lights"
              homehub automations add "Hall light" --when "hall sensor motion" --if "after sunset" --set "hall lamp on" \
            --for 5m
              homehub automations add "Window" --when "bedroom window open" --for-at-least 10m --notify "Window open"

            Repeat an option to give several events, conditions or actions. One event is enough to start the automation, \
            and all conditions must be true. Scenes run first, then --set, --after and --notify in their order.
            """)

    @Argument(help: "The name of the automation: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var automation: AutomationOptions

    @Flag(help: "Add the automation without enabling it.")
    var disabled = false

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard automation.hasEvents else {
            throw ValidationError(
                "Add an event, such as --at sunset or --when \"hall sensor motion\"")
        }
        guard automation.hasActions else {
            throw ValidationError(
                "Add an action, such as --run SCENE, --set \"hall lamp on\" or --notify TEXT")
        }
    }

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let definition = try automation.definition(TriggerParser(home: home, time: .current(of: home)))
        let trigger = try await session.manager.addTrigger(
            named: name, to: home.id, definition, isEnabled: !disabled)
        try await session.print(json: AutomationListings(session.home).listing(of: trigger))
    }
}

struct AutomationsShowCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all properties of an automation.")

    @Argument(help: "The automation, by name or ID.", completion: .names(.automations))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let trigger = try home.trigger(addressed: object)
        let status = try await session.statuses(of: home)[trigger.id]
        let listings = AutomationListings(home)
        session.print(listings.details(of: trigger, status), json: listings.listing(of: trigger, status))
    }
}

struct AutomationsEditCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the events, the condition or the actions of an automation.",
        discussion: """
            Events replace all events, conditions all conditions, and actions all actions. What you don't mention \
            remains. To remove the condition or the end, use --if none, --for none or --until none.
            """)

    @Argument(help: "The automation, by name or ID.", completion: .names(.automations))
    var object: String

    @OptionGroup var automation: AutomationOptions

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let trigger = try home.trigger(addressed: object)
        let parser = TriggerParser(home: home, time: .current(of: home))
        let definition = try automation.definition(changing: trigger.definition, parser)
        guard definition != trigger.definition || !trigger.missingParts.isEmpty else {
            throw HomeError(.missingParameter, detail: "nothing to change; add options such as --at 7:00 or --if none")
        }
        let changed = try await session.manager.updateTrigger(trigger.id, to: definition)
        try await session.print(json: AutomationListings(session.home).listing(of: changed))
    }
}

struct AutomationsEnableCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "enable", abstract: "Enable an automation.")

    @Argument(help: "The automation, by name or ID.", completion: .names(.automations))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws { try await session.setEnabled(true, object) }
}

struct AutomationsDisableCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Disable an automation, but keep it in the list.")

    @Argument(help: "The automation, by name or ID.", completion: .names(.automations))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws { try await session.setEnabled(false, object) }
}

struct AutomationsRenameCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename an automation.")

    @Argument(help: "The automation, by name or ID.", completion: .names(.automations))
    var object: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let trigger = try await session.home.trigger(addressed: object)
        let renamed = try await session.manager.renameTrigger(trigger.id, to: name)
        try await session.print(json: AutomationListings(session.home).listing(of: renamed))
    }
}

struct AutomationsRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an automation and its history.")

    @Argument(help: "The automation, by name or ID.", completion: .names(.automations))
    var object: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let trigger = try home.trigger(addressed: object, isWhole: true)
        try await session.manager.removeTrigger(trigger.id)
        session.print(json: AutomationListings(home).listing(of: trigger))
    }
}

struct AutomationsRunCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run an automation now.",
        discussion: "Without options, the automation runs regardless of its days and condition.")

    @Argument(help: "The automation, by name or ID.", completion: .names(.automations))
    var object: String

    @Flag(help: "Check whether the days and the condition allow a run, but run nothing.")
    var check = false

    @Flag(help: "Run the automation only if today is one of its days and its condition is true.")
    var conditional = false

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard !check || !conditional else { throw ValidationError("Use only one of --check and --conditional.") }
    }

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let trigger = try home.trigger(addressed: object)
        let record = try await session.saying("running \(trigger.name)") {
            try await session.manager.runTrigger(
                trigger.id, mode: check ? .check : conditional ? .conditional : .always)
        }
        let listings = AutomationListings(home)
        let sentence = check ? listings.phrases.phrase(forCheck: record) : listings.phrases.phrase(for: record)
        session.print(sentence.sanitized + "\n", json: listings.listing(of: record, isCheck: check))
        let failures = listings.phrases.failures(of: record)
        guard !failures.isEmpty else { return }
        let isPartial = failures.count < record.outcomes.count
        throw HomeError(
            isPartial ? .actionSetExecutionPartialSuccess : .actionSetExecutionFailed,
            detail: failures.joined(separator: "; "))
    }
}

struct AutomationsHistoryCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the last runs, and why automations didn't run.",
        discussion: """
            The hub keeps the last 50 entries of each automation. Without a name, the command prints the last 500 entries of \
            all automations.
            """)

    @Argument(help: "The automation, by name or ID (default: all).", completion: .names(.automations))
    var object: String?

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let trigger = try object.map { typed throws(HomeError) in try home.trigger(addressed: typed) }
        let records = try await session.manager.triggerHistory(of: home.id, trigger: trigger?.id)
        let listings = AutomationListings(home)
        session.print(
            listings.history(records, ofOne: trigger != nil), json: .array(records.map(listings.listing)))
        if records.isEmpty {
            session.note([trigger.map { "\($0.name) hasn't run yet" } ?? "no automation has run yet"])
        }
    }
}

extension HomeSession {
    /// Returns the statuses of a home's automations by their identifiers.
    fileprivate func statuses(of home: Home) async throws -> [Trigger.ID: TriggerStatus] {
        guard !home.triggers.isEmpty else { return [:] }
        let statuses = try await manager.triggerStatuses(of: home.id)
        return Dictionary(statuses.map { ($0.trigger, $0) }) { first, _ in first }
    }

    fileprivate func setEnabled(_ isEnabled: Bool, _ typed: String) async throws {
        let trigger = try await home.trigger(addressed: typed)
        let changed = try await manager.setEnabled(isEnabled, of: trigger.id)
        try await print(json: AutomationListings(home).listing(of: changed))
    }
}
