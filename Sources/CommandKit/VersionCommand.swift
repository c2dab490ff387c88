package import ArgumentParser
import BoundedJSON
import TerminalKit

package struct VersionCommand<Program: CommandProgram>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "version", abstract: "Show this command's version.")
    }

    @OptionGroup package var options: Program.Options

    package init() {}

    package func run() async {
        let json: JSONValue = ["version": .string(Version.current)]
        Terminal.current.write(options.json ? json.text + "\n" : "\(Program.name) \(Version.current)\n")
    }
}
