import AccessoryRole
import DaemonKit
import Glibc
import HAPModel
import ServiceLifecycle
import SetupQR
import SystemKit

/// Prints the setup code on a terminal when the bridge starts.
///
/// The code is never written to a log.
struct SetupCodePrinter: ServiceLifecycle.Service {
    let server: AccessoryServer
    let name: String
    /// Returns the reason why controllers can't find the bridge, or `nil` if mDNS works.
    let discoveryError: @Sendable () -> String?
    var isTerminal = isatty(STDOUT_FILENO) == 1
    /// The delay before the code is printed.
    ///
    /// The first log lines are written during this time, so the code is printed after them.
    var delay = Duration.seconds(1)
    var print: @Sendable (String) -> Void = StandardStreams.printLine

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await printCode()
            try? await gracefulShutdown()
        }
    }

    func printCode() async {
        guard isTerminal, (try? await Task.sleep(for: delay)) != nil else { return }
        guard await !server.isPaired else { return }
        let payload = await server.setupPayload
        guard let code = payload.code?.text else { return }
        let abilities = TerminalAbilities(isTerminal: true) { name in getenv(name).map { String(cString: $0) } }
        let picture = QRCode(payload.uri)?.text(for: abilities) ?? ""
        guard let error = discoveryError() else {
            return print(
                "\n\(picture)\n\(name) is ready to pair. Scan the code, or enter \(code) in your Home app.\n")
        }
        print(
            """

            \(picture)
            \(name) can be paired with \(code), but controllers can't find it yet: \(error).
            \(Self.remedy)

            """)
    }

    /// The commands that start mDNS on Debian, with and without systemd.
    private static let remedy = """
        Avahi advertises the bridge and requires D-Bus. To install and start both:
            sudo apt install avahi-daemon dbus
            sudo systemctl enable --now avahi-daemon
        In a container without systemd, as root:
            mkdir -p /run/dbus && dbus-daemon --system --fork && avahi-daemon --daemonize
        The bridge is advertised as soon as Avahi is running.
        """
}
