import ArgumentParser
import BoundedJSON
import BridgeControl
import SetupQR
import TerminalKit

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Show the setup code and its QR code, of each bridge if there are several.",
        discussion: "Refuses once the bridge is paired, unless --force is given.")

    @Option(
        help: ArgumentHelp(
            "Write the QR code as an SVG image; those of several bridges stand below each other.", valueName: "file"))
    var svg: String?

    @Option(
        help: ArgumentHelp(
            "Write the QR code as a PNG image; those of several bridges stand below each other.", valueName: "file"))
    var png: String?

    @Flag(help: "Show the code of a paired bridge, too.")
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
                terminal.write("The bridge is paired: a controller can add it only after it was removed.\n")
            }
            if bridge.number != bridges.last?.number { terminal.write("\n") }
        }
    }
}
