import DaemonKit
import Glibc
import HAPAccessory
import HAPModel
import ServiceLifecycle
import SetupQR

/// Shows the setup code to whoever starts the bridge in a terminal; a log never sees it.
struct SetupGreeting: ServiceLifecycle.Service {
    let server: AccessoryServer
    let name: String
    var isTerminal = isatty(STDOUT_FILENO) == 1
    /// By then the first lines of the log are out, and the code is the last thing that the terminal shows.
    var delay = Duration.seconds(1)
    var print: @Sendable (String) -> Void = StandardStreams.printLine

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await greet()
            try? await gracefulShutdown()
        }
    }

    func greet() async {
        if isTerminal, (try? await Task.sleep(for: delay)) != nil { await show() }
    }

    private func show() async {
        guard await !server.isPaired else { return }
        let payload = await server.setupPayload
        guard let code = payload.code?.text else { return }
        let abilities = TerminalAbilities(isTerminal: true) { name in getenv(name).map { String(cString: $0) } }
        let picture = QRCode(payload.uri)?.text(for: abilities) ?? ""
        print(
            "\n\(picture)\n\(name) is ready to pair. Scan the code, or enter \(code) in your Home app.\n")
    }
}
