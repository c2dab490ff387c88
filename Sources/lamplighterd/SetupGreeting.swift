import Glibc
import HAPAccessory
import HAPModel
import SetupQR

/// Shows the setup code to whoever starts the bridge in a terminal; a log never sees it.
enum SetupGreeting {
    static func show(_ server: AccessoryServer, name: String) async {
        guard isatty(STDOUT_FILENO) == 1, await !server.isPaired else { return }
        let payload = await server.setupPayload
        guard let code = payload.code?.text else { return }
        let abilities = TerminalAbilities(isTerminal: true) { name in getenv(name).map { String(cString: $0) } }
        let picture = QRCode(payload.uri)?.text(for: abilities) ?? ""
        StandardStreams.printLine(
            "\n\(picture)\n\(name) is ready to pair. Scan the code, or enter \(code) in your Home app.\n")
    }
}
