import ArgumentParser
import BoundedJSON
import BridgeControl
import SetupQR
import TerminalKit

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Show the setup code and its QR code.",
        discussion: "Refuses once the bridge is paired, unless --force is given.")

    @Option(help: ArgumentHelp("Write the QR code as an SVG image.", valueName: "file"))
    var svg: String?

    @Option(help: ArgumentHelp("Write the QR code as a PNG image.", valueName: "file"))
    var png: String?

    @Flag(help: "Show the code of a paired bridge, too.")
    var force = false

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let setup = try await options.ask { [force] in try await $0.setup(force: force) }
        guard let code = QRCode(setup.payload) else {
            throw BridgeControlError(code: 70, message: "the payload fits in no QR code")
        }
        if let svg { try OutputFile.write(Array(code.svg.utf8), to: svg) }
        if let png { try OutputFile.write(code.png(), to: png) }
        let terminal = Terminal.current
        let abilities = TerminalAbilities(isTerminal: terminal.isTerminal(), environment: terminal.environment)
        guard !options.json else {
            terminal.write(setup.json.text + "\n")
            return
        }
        if svg == nil, png == nil { terminal.write(code.text(for: abilities) + "\n") }
        terminal.write("setup code  \(setup.code.sanitized)\npayload     \(setup.payload.sanitized)\n")
        if setup.paired { terminal.write("The bridge is paired: a controller can add it only after it was removed.\n") }
    }
}
