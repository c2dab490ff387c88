import ArgumentParser
import BoundedJSON
import BridgeControl
import SystemKit
import TerminalKit

struct PairingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pairings", abstract: "List or remove paired controllers.",
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
        guard !pairings.isEmpty else { return "The bridge isn't paired.\n" }
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
        abstract: "Remove one pairing or all pairings from all bridges. The identity and accessory ids are kept.")

    @Argument(help: "The controller's id, from lamplighter pairings.", completion: .pairings)
    var id: String?

    @Flag(help: "Remove all pairings.")
    var all = false

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var options: BridgeOptions

    func validate() throws {
        guard (id != nil) != all else { throw ValidationError("Specify the id of one pairing, or --all.") }
    }

    func run() async throws {
        if let id {
            try await options.change(check: "\(ShellCommand.lamplighter) pairings") { try await $0.removePairing(id) }
            return print("Removed the pairing \(id).")
        }
        let pairings = try await options.ask { try await $0.pairings() }
        guard !pairings.isEmpty else { return print("The bridge isn't paired.") }
        let count = pairings.count.of("pairing")
        try await options.confirm(
            "This removes \(count). Controllers must add the bridge again.", yes: yes)
        try await options.change(check: "\(ShellCommand.lamplighter) pairings") { try await $0.removeAllPairings() }
        print("\(count) removed. \(ShellCommand.lamplighter) setup shows the setup code.")
    }

    private func print(_ sentence: String) {
        if !options.json { Terminal.current.write(sentence.sanitized + "\n") }
    }
}

struct PairingsUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Allow pairing again after 100 wrong setup codes.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await options.change(check: "\(ShellCommand.lamplighter) status") { try await $0.unlockPairing() }
    }
}
