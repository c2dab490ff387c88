import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomePresentation
import TerminalKit

struct RepairCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Pair again with an accessory that was reset or replaced.",
        discussion: """
            Names, rooms, scenes, groups and favorites stay, including those of all accessories connected through a \
            bridge. The device must have the same parts and values; otherwise nothing changes. The hub finds the device \
            by its ID. If another device replaces it, use --device or choose the device when asked.
            """)

    @Argument(help: "The accessory or bridge, by name or ID.", completion: .names(.accessories))
    var accessory: String

    @OptionGroup var setupCode: SetupCodeOptions

    @Option(help: ArgumentHelp("The replacement device, by name or ID (see homehub discover).", valueName: "device"))
    var device: String?

    @Flag(help: "Don't ask questions.")
    var yes = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let accessory = try home.accessory(addressed: accessory)
        try HomeGraph(homes: [home]).checkRepair(of: accessory.id)
        let dialogue = SetupDialogue(
            terminal: Terminal.current, manager: session.manager, code: setupCode.typed,
            device: device, wantedName: nil, isSilent: yes, purpose: .repair)
        let credentials =
            if let payload = setupCode.scanned {
                AccessorySetupCredentials.payload(payload)
            } else {
                try await dialogue.setupCredentials()
            }
        var chosen: DeviceID?
        if device != nil { chosen = try await choice(dialogue, session) }
        if !yes {
            Terminal.current.writeError("Pairing with \(accessory.name.sanitized). This may take half a minute ...\n")
        }
        let repaired: [Accessory]
        do throws(HomeError) {
            repaired = try await session.manager.repairAccessory(accessory.id, with: credentials, device: chosen)
        } catch {
            // A device that has lost its power may still seem to be paired.
            guard chosen == nil, [.notFound, .objectAssociatedToAnotherHome].contains(error.code) else { throw error }
            guard !yes else { throw Self.missing(accessory, error) }
            Terminal.current.writeError(
                "\(accessory.name.sanitized) isn't ready for pairing. "
                    + "If you have replaced it with another device, choose the new device now.\n")
            chosen = try await choice(dialogue, session)
            repaired = try await session.manager.repairAccessory(accessory.id, with: credentials, device: chosen)
        }
        let now = try await session.manager.homes.home("\(accessory.home)")
        let others = repaired.count - 1
        let more = others == 0 ? "" : " with \(others.of("accessory")) connected through it"
        session.print(
            "\(accessory.name) is paired again\(more).\n".sanitizedLines,
            json: .array(repaired.compactMap { now.accessory($0.id) }.map(\.listing)))
    }

    private func choice(_ dialogue: SetupDialogue, _ session: HomeSession) async throws -> DeviceID {
        if let id = device.flatMap({ DeviceID($0) }) { return id }
        return try await session.manager.withAccessoryBrowser { found in
            try await dialogue.chooseAccessory(from: found).id
        }
    }

    private static func missing(_ accessory: Accessory, _ error: HomeError) -> HomeError {
        HomeError(
            error.code,
            detail:
                "\(accessory.name) isn't ready for pairing; check that it has power and was reset, or choose its "
                + "replacement with --device", accessory: accessory.id)
    }
}
