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

    @OptionGroup var options: BridgeOptions

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

    @Argument(help: "The controller's id, as lamplighter pairings shows it.", completion: .pairings)
    var id: String?

    @Flag(help: "Remove every pairing.")
    var all = false

    @Flag(help: "Do not ask before all pairings are removed.")
    var yes = false

    @OptionGroup var options: BridgeOptions

    func validate() throws {
        guard (id != nil) != all else { throw ValidationError("Name one pairing's id, or write --all.") }
    }

    func run() async throws {
        if let id {
            try await options.change(check: "lamplighter pairings") { try await $0.removePairing(id) }
            return print("The pairing \(id) is removed.")
        }
        let pairings = try await options.ask { try await $0.pairings() }
        guard !pairings.isEmpty else { return print("The bridge is not paired.") }
        let count = pairings.count.of("pairing")
        try await options.confirm(
            "The bridge loses \(count); every controller has to add it again.", yes: yes)
        try await options.change(check: "lamplighter pairings") { try await $0.removeAllPairings() }
        print("\(count) removed. lamplighter setup shows the setup code.")
    }

    private func print(_ sentence: String) {
        if !options.json { Terminal.current.write(sentence.sanitized + "\n") }
    }
}

struct PairingsUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Let controllers try setup codes again after a hundred wrong ones.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await options.change(check: "lamplighter status") { try await $0.unlockPairing() }
    }
}
