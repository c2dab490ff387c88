import ArgumentParser
import BoundedJSON
import BridgeControl
import TerminalKit

struct PairingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pairings", abstract: "List the controllers the bridge is paired with, or remove them.",
        subcommands: [PairingsListCommand.self, PairingsRemoveCommand.self, PairingsUnlockCommand.self],
        defaultSubcommand: PairingsListCommand.self)
}

struct PairingsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the paired controllers.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let pairings = try await options.ask { try await $0.pairings() }
        Terminal.current.write(options.json ? pairings.json.text + "\n" : Self.text(of: pairings))
    }

    static func text(of pairings: [PairingListing]) -> String {
        guard !pairings.isEmpty else { return "The bridge is not paired.\n" }
        let hasBridges = pairings.contains { $0.bridge ?? 1 > 1 }
        var table = Table(["ID", "ADMIN", "CONNECTED"] + (hasBridges ? ["BRIDGE"] : []))
        for pairing in pairings {
            table.append(
                [pairing.id, pairing.admin ? "yes" : "no", pairing.connected ? "yes" : "no"]
                    + (hasBridges ? ["\(pairing.bridge ?? 1)"] : []))
        }
        return table.text
    }
}

struct PairingsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a pairing from all bridges, or all pairings; identity and accessory ids stay.")

    @Argument(help: "The controller's id, as lamplighter pairings shows it.")
    var id: String?

    @Flag(help: "Remove every pairing.")
    var all = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (id != nil) != all else { throw ValidationError("Name one pairing's id, or write --all.") }
    }

    func run() async throws {
        try await options.ask { [id] bridge in
            if let id { try await bridge.removePairing(id) } else { try await bridge.removeAllPairings() }
        }
    }
}

struct PairingsUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Let controllers try setup codes again after a hundred wrong ones.")

    @OptionGroup var options: GlobalOptions

    func run() async throws { try await options.ask { try await $0.unlockPairing() } }
}
