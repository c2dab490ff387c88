import ArgumentParser
import BoundedJSON
import BridgeControl
import TerminalKit

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Reload the configuration. Controllers stay connected.",
        discussion: "If the configuration is invalid, nothing changes.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let listing = try await options.ask { try await $0.reload() }
        Terminal.current.write(options.json ? listing.json.text + "\n" : Self.text(of: listing))
    }

    static func text(of listing: ReloadListing) -> String {
        var text = "drivers  \(listing.drivers)\n"
        text +=
            "lights   \(listing.lights.isEmpty ? "unchanged" : "changed " + listing.lights.joined(separator: ", "))\n"
        text = text.split(separator: "\n").map { String($0).sanitized + "\n" }.joined()
        for file in listing.keptFiles ?? [] {
            text += "\(file) was edited since the change, so it was kept.\n"
        }
        if !listing.needsRestart.isEmpty {
            let verb = listing.needsRestart.count == 1 ? "takes" : "take"
            text += "\(listing.needsRestart.joined(separator: ", ")) \(verb) effect after a restart of lamplighterd.\n"
        }
        return text
    }
}
