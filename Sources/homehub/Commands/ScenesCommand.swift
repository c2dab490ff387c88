import ArgumentParser
import BoundedJSON
import HomeClient
import HomePresentation

struct ScenesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenes", abstract: "List, add, change, run and remove scenes.",
        subcommands: [
            ScenesListCommand.self, ScenesAddCommand.self, ScenesRemoveCommand.self, ScenesSetCommand.self,
            ScenesClearCommand.self, ScenesRunCommand.self,
        ],
        defaultSubcommand: ScenesListCommand.self)
}

struct ScenesListCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the scenes and their actions.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        session.print(HomeListings.scenes(of: home), json: .array(home.actionSets.sortedForDisplay.map(\.listing)))
    }
}

struct ScenesAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an empty scene.")

    @Argument(help: "The name of the scene: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        session.print(json: try await session.manager.addActionSet(named: name, to: session.home.id).listing)
    }
}

struct ScenesRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a scene.")

    @Argument(help: "The scene, by name or ID.", completion: .names(.scenes))
    var scene: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let scene = try await session.home.scene(addressed: scene, isWhole: true)
        try await session.manager.removeActionSet(scene.id)
        session.print(json: scene.listing)
    }
}

struct ScenesSetCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Add actions to a scene, or change them.",
        discussion: """
            For example: homehub scenes set "Movie Night" "Reading Lamp" on=yes brightness=10. The scene's other actions \
            stay, unless you use --only.
            """)

    @Argument(help: "The scene, by name or ID.", completion: .names(.scenes))
    var scene: String

    @Argument(
        help: ArgumentHelp(
            "An accessory, ACCESSORY/PART, room, zone, group or kind, and the changes, as for homehub write.",
            valueName: "target ... change"),
        completion: .names(.changes))
    var words: [String] = []

    @Flag(help: "Remove the scene's other actions.")
    var only = false

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard words.count > 1 else {
            throw ValidationError(
                "Name an accessory and a change, such as homehub scenes set \"Movie Night\" \"Reading Lamp\" on")
        }
    }

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let scene = try home.scene(addressed: scene)
        let changes = try home.writeOrder(typed: words).fixedChanges(for: "a scene")
        let actions = scene.actions(with: changes, only: only)
        session.print(json: try await session.manager.setActions(actions, of: scene.id).listing)
        session.note(changes.compactMap(\.note))
    }
}

struct ScenesClearCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove an accessory, or all accessories, from a scene.")

    @Argument(help: "The scene, by name or ID.", completion: .names(.scenes))
    var scene: String

    @Argument(help: "The accessory, by name or ID (default: all).")
    var accessory: String?

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let scene = try home.scene(addressed: scene)
        var actions: [CharacteristicWriteAction] = []
        if let accessory {
            let accessory = try home.accessory(addressed: accessory)
            actions = scene.actions.filter { accessory.characteristic($0.characteristic) == nil }
        }
        session.print(json: try await session.manager.setActions(actions, of: scene.id).listing)
    }
}

struct ScenesRunCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run a scene.")

    @Argument(help: "The scene, by name or ID.", completion: .names(.scenes))
    var scene: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let scene = try home.scene(addressed: scene)
        let run = try await session.saying("sending values to the accessories") {
            try await session.manager.executeActionSet(scene.id)
        }
        let places = scene.actions.compactMap { home.place(of: $0.characteristic) }
        try ValueReport(places, run.results, partialSuccess: .actionSetExecutionPartialSuccess)
            .show(in: session, isSilent: true)
    }
}

extension ActionSet {
    /// Returns the scene's actions after these changes, with one action per characteristic.
    ///
    /// If `only` is `true`, drops the actions for other characteristics.
    func actions(with changes: [ValueChange], only: Bool) -> [CharacteristicWriteAction] {
        let new = changes.map {
            CharacteristicWriteAction(characteristic: $0.place.characteristic.id, targetValue: $0.value)
        }
        let changed = Set(new.map(\.characteristic))
        return (only ? [] : actions.filter { !changed.contains($0.characteristic) }) + new
    }
}
