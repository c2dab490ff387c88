import ArgumentParser
import BoundedJSON
import BridgeControl
import TerminalKit

/// The options of commands that change the configuration.
struct ChangeOptions: ParsableArguments {
    @Flag(help: "Show the change without making it.")
    var dryRun = false

    @Flag(help: "Don't ask for confirmation.")
    var yes = false
}

extension BridgeOptions {
    /// Shows a change of the configuration, asks for confirmation, and makes it.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - options: Whether to show the change only, or to make it without asking.
    /// - Throws: ``BridgeControlError`` if the daemon rejects the change.
    func make(_ change: ConfigurationChange, _ options: ChangeOptions) async throws {
        let (dryRun, yes) = (options.dryRun, options.yes)
        guard dryRun || yes || !json else {
            throw TerminalError.usage("can't ask for confirmation with --json; add --yes or --dry-run")
        }
        let proposal = try await ask { try await $0.propose(change) }
        guard !dryRun || !json else { return Terminal.current.write(proposal.json.text + "\n") }
        if !json { Terminal.current.write(Self.text(of: proposal)) }
        guard !dryRun else { return }
        try await confirm("Write \(proposal.file) and reload it?", yes: yes)
        let listing: ReloadListing
        do {
            listing = try await self.change(check: "lamplighter drivers") { try await $0.apply(proposal.token) }
        } catch let error as BridgeControlError where error.code == 75 && !yes {
            // A confirmation counts only for the change that was shown.
            Terminal.current.writeError("lamplighter: \(error.message.sanitized). The change is now:\n")
            return try await make(change, options)
        }
        Terminal.current.write(json ? listing.json.text + "\n" : ReloadCommand.text(of: listing))
    }

    static func text(of proposal: ConfigurationProposal) -> String {
        let lines =
            ["--- \(proposal.file)", "+++ \(proposal.file)"]
            + proposal.diff.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
            + proposal.secretFiles.map { "New file, readable only by lamplighterd: \($0)" } + proposal.warnings
        return lines.map { $0.sanitized + "\n" }.joined()
    }
}
