import ArgumentParser
import BoundedJSON
import TerminalKit

struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Show this command's version.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let json: JSONValue = ["version": .string(Version.current)]
        Terminal.current.write(options.json ? json.text + "\n" : "homehub \(Version.current)\n")
    }
}
