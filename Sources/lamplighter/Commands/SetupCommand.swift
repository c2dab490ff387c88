import ArgumentParser
import BoundedJSON
import BridgeControl
import SetupQR
import TerminalKit

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Show the setup code and the QR code of each bridge.",
        discussion: "Fails if the bridge is paired, unless you use --force.")

    @Option(
        help: ArgumentHelp(
            "Write the QR codes to an SVG image, in a column if there are several bridges.", valueName: "file"))
    var svg: String?

    @Option(
        help: ArgumentHelp(
            "Write the QR codes to a PNG image, in a column if there are several bridges.", valueName: "file"))
    var png: String?

    @Flag(help: "Also show the code of a paired bridge.")
    var force = false

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let setup = try await options.ask { [force] in try await $0.setup(force: force) }
        let bridges =
            setup.bridges
            ?? [
                SetupListing.Bridge(
                    number: 1, name: "", code: setup.code, payload: setup.payload, paired: setup.paired)
            ]
        let codes = try bridges.map { bridge in
            guard let code = QRCode(bridge.payload) else {
                throw BridgeControlError(code: 70, message: "the payload is too long for a QR code")
            }
            return code
        }
        let captions = zip(bridges, codes).map { ($1, bridges.count > 1 ? "\($0.name)  \($0.code)" : "") }
        if let svg { try OutputFile.write(Array(QRCode.svg(captions).utf8), to: svg) }
        if let png { try OutputFile.write(QRCode.png(codes), to: png) }
        let terminal = Terminal.current
        let abilities = TerminalAbilities(isTerminal: terminal.isTerminal(), environment: terminal.environment)
        guard !options.json else {
            terminal.write(setup.json.text + "\n")
            return
        }
        for (bridge, code) in zip(bridges, codes) {
            if bridges.count > 1 { terminal.write("\(bridge.name.sanitized)\n\n") }
            if svg == nil, png == nil { terminal.write(code.text(for: abilities) + "\n") }
            terminal.write("setup code  \(bridge.code.sanitized)\npayload     \(bridge.payload.sanitized)\n")
            if bridge.paired {
                terminal.write("The bridge is paired. A controller can add it only after the pairing is removed.\n")
            }
            if bridge.number != bridges.last?.number { terminal.write("\n") }
        }
    }
}
