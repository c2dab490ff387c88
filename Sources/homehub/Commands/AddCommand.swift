import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomePresentation
import SystemKit
import TerminalKit

struct AddCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an accessory, or a bridge with all its accessories.",
        discussion: """
            The command asks for everything you don't specify: the setup code, the device, and the name, room and \
            favorite setting of each accessory. For a bridge, it first asks whether to keep all names. With --yes, it \
            doesn't ask and keeps the defaults.
            """)

    @OptionGroup var setupCode: SetupCodeOptions

    @Option(help: ArgumentHelp("The device to add, by name or ID, as homehub discover shows it.", valueName: "device"))
    var device: String?

    @Option(help: ArgumentHelp("The name for the accessory, or for the bridge itself.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The room for the accessory.", valueName: "room"))
    var room: String?

    @Flag(help: "Don't ask questions; use the defaults.")
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
                "Continue in \(app). The accessory appears when setup is finished there.\n".sanitizedLines,
                json: ["handedOver": .string(app)])
        case .added(let result):
            let home = try await session.manager.homes.home("\(result.home)")
            let added = result.accessories.compactMap { home.accessory($0) }
            session.print(Self.text(of: added, in: home), json: .array(added.map(\.listing)))
            for failure in result.failures {
                let name = failure.accessory.flatMap { home.accessory($0) }?.name ?? home.name
                Terminal.current.writeError("homehub: \(name): \(failure.text)".sanitized + "\n")
            }
        }
    }

    /// Returns a description of the added accessories, and a hint if their names could be better.
    static func text(of added: [Accessory], in home: Home) -> String {
        let ids = Set(added.map(\.id))
        var text = added.map { accessory in
            guard accessory.room != home.defaultRoomID, let room = home.room(accessory.room) else {
                return "\(accessory.name) is in no room yet.\n"
            }
            return "\(accessory.name) is in \(room.name).\n"
        }.joined()
        let hints = NamesReport(home).entries.contains { entry in
            switch entry.object {
            case .accessory(let accessory), .part(_, let accessory): ids.contains(accessory.id)
            case .home, .room, .zone, .scene, .group: false
            }
        }
        if hints { text += "Some names could be better. For suggestions, run \(ShellCommand.homehub) names doctor.\n" }
        return text.sanitizedLines
    }
}

extension Home {
    /// Checks the name for an accessory before it is added.
    ///
    /// - Throws: `HomeError` if the name is invalid or in use, with suggestions.
    fileprivate func check(newName name: String) throws(HomeError) {
        // Use an unused device ID, so that only the name is checked.
        guard let unknown = DeviceID("00:00:00:00:00:00") else { return }
        try HomeGraph(homes: [self]).checkAddition(of: unknown, to: id, name: name)
    }
}
