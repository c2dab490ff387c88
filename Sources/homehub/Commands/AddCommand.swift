import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import TerminalKit

struct AddCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an accessory, or a bridge with all its accessories.",
        discussion: """
            What is not given is asked for: the setup code, which device it is, and then for each thing its name, its \
            room, and whether it is a favorite. With --yes nothing is asked, and names and the like stay as they are.
            """)

    @OptionGroup var setupCode: SetupCodeOptions

    @Option(help: ArgumentHelp("Which device, by name or id, as homehub discover shows it.", valueName: "device"))
    var device: String?

    @Option(help: ArgumentHelp("What to call it; for a bridge, the bridge itself.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The room to put it into.", valueName: "room"))
    var room: String?

    @Flag(help: "Ask nothing.")
    var yes = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let room = try room.map { name throws(HomeError) in try home.room(addressed: name) }
        if let name { try home.check(newName: name) }
        let interaction = SetupDialogue(
            terminal: Terminal.current, manager: session.manager, code: setupCode.typed,
            device: device, wantedName: name, isSilent: yes)
        let request = AccessorySetupRequest(
            home: home.id, suggestedRoom: room?.id, suggestedName: name,
            payload: setupCode.scanned)
        switch try await AccessorySetupManager(session.manager).perform(request, interaction: interaction) {
        case .handedOver(let app):
            session.print(
                "\(app) goes on from here; the accessory is there once that is done.\n".sanitizedLines,
                json: ["handedOver": .string(app)])
        case .added(let result):
            let home = try await session.manager.homes.home("\(result.home)")
            let added = result.accessories.compactMap { home.accessory($0) }
            session.print(Self.text(of: added, in: home), json: .array(added.map(\.listing)))
            for failure in result.failures {
                let name = failure.accessory.flatMap { home.accessory($0) }?.name ?? home.name
                Terminal.current.writeError("homehub: \(name): \(failure.message)".sanitized + "\n")
            }
        }
    }

    /// Returns a description of the added accessories, and a hint if their names could be better.
    static func text(of added: [Accessory], in home: Home) -> String {
        let ids = Set(added.map(\.id))
        var text = added.map { accessory in
            let room = home.room(accessory.room).map(home.displayName) ?? home.name
            return "\(accessory.name) is in \(room).\n"
        }.joined()
        let hints = NamesReport(home).entries.contains { entry in
            switch entry.object {
            case .accessory(let accessory), .part(_, let accessory): ids.contains(accessory.id)
            case .home, .room, .zone, .scene, .group: false
            }
        }
        if hints { text += "Some names could be better; see homehub names doctor.\n" }
        return text.sanitizedLines
    }
}

extension Home {
    /// Checks the name for an accessory before it is added.
    ///
    /// - Throws: The error of the name, with suggestions.
    fileprivate func check(newName name: String) throws(HomeError) {
        // Use an unused device ID, so that only the name is checked.
        guard let unknown = DeviceID("00:00:00:00:00:00") else { return }
        try HomeGraph(homes: [self]).checkAddition(of: unknown, to: id, name: name)
    }
}
