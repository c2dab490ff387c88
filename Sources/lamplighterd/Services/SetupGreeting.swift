import DaemonKit
import Glibc
import HAPAccessory
import HAPModel
import ServiceLifecycle
import SetupQR

/// Shows the setup code to whoever starts the bridge in a terminal; a log never sees it.
struct SetupGreeting: ServiceLifecycle.Service {
    /// By then the first lines of the log are out, and the code is the last thing that the terminal shows.
    private static let delay = Duration.seconds(1)

    let server: AccessoryServer
    let name: String

    func run() async throws {
        await cancelWhenGracefulShutdown {
            if isatty(STDOUT_FILENO) == 1, (try? await Task.sleep(for: Self.delay)) != nil { await show() }
            try? await gracefulShutdown()
        }
    }

    private func show() async {
        guard await !server.isPaired else { return }
        let payload = await server.setupPayload
        guard let code = payload.code?.text else { return }
        let abilities = TerminalAbilities(isTerminal: true) { name in getenv(name).map { String(cString: $0) } }
        let picture = QRCode(payload.uri)?.text(for: abilities) ?? ""
        StandardStreams.printLine(
            "\n\(picture)\n\(name) is ready to pair. Scan the code, or enter \(code) in your Home app.\n")
    }
}
