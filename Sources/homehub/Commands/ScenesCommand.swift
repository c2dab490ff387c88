import ArgumentParser
import BoundedJSON
import HomeClient

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
        commandName: "list", abstract: "List the scenes and what they set.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        session.print(HomeListings.scenes(of: home), json: .array(home.actionSets.sortedForDisplay.map(\.listing)))
    }
}

struct ScenesAddCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a scene, which sets nothing yet.")

    @Argument(help: "Its name: letters, digits, spaces and apostrophes.")
    var name: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        session.print(json: try await session.manager.addActionSet(named: name, to: session.home.id).listing)
    }
}

struct ScenesRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a scene.")

    @Argument(help: "The scene, by name or id.", completion: .names(.scenes))
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
        commandName: "set", abstract: "Say what a scene sets at an accessory.",
        discussion: """
            For example: homehub scenes set "Movie Night" "Reading Lamp" on=yes brightness=10. What the scene sets \
            besides stays, unless --only is given.
            """)

    @Argument(help: "The scene, by name or id.", completion: .names(.scenes))
    var scene: String

    @Argument(
        help: ArgumentHelp(
            "An accessory, ACCESSORY/PART, a room, a zone, a group or a kind, and what to set, as homehub write takes it.",
            valueName: "target ... change"),
        completion: .names(.changes))
    var words: [String]

    @Flag(help: "Let the scene set nothing else.")
    var only = false

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard words.count > 1 else {
            throw ValidationError("Say what to set, and how: homehub scenes set \"Movie Night\" \"Reading Lamp\" on")
        }
    }

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let scene = try home.scene(addressed: scene)
        let changes = try home.writeOrder(typed: words).sceneChanges
        let actions = scene.actions(with: changes, only: only)
        session.print(json: try await session.manager.setActions(actions, of: scene.id).listing)
        session.note(changes.compactMap(\.note))
    }
}

struct ScenesClearCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Let a scene leave an accessory alone, or all.")

    @Argument(help: "The scene, by name or id.", completion: .names(.scenes))
    var scene: String

    @Argument(help: "The accessory, by name or id; all if left out.")
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
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Carry out a scene.")

    @Argument(help: "The scene, by name or id.", completion: .names(.scenes))
    var scene: String

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let scene = try home.scene(addressed: scene)
        let run = try await session.saying("telling the accessories") {
            try await session.manager.executeActionSet(scene.id)
        }
        let places = scene.actions.compactMap { home.place(of: $0.characteristic) }
        try ValueReport(places, run.results, partialSuccess: .actionSetExecutionPartialSuccess)
            .show(in: session, isSilent: true)
    }
}

extension ActionSet {
    /// Returns the scene's actions after these changes, with one action per characteristic.
    func actions(with changes: [ValueChange], only: Bool) -> [CharacteristicWriteAction] {
        let new = changes.map {
            CharacteristicWriteAction(characteristic: $0.place.characteristic.id, targetValue: $0.value)
        }
        let changed = Set(new.map(\.characteristic))
        return (only ? [] : actions.filter { !changed.contains($0.characteristic) }) + new
    }
}
