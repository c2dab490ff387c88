public import ArgumentParser
import DaemonKit
import Glibc
import LineRPC
public import Logging
import SystemKit
import TerminalKit
import WebAccess

/// The web page, an app of the home hub.
@main
struct Homeweb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homeweb",
        abstract: "Shows the home in a browser. Runs in the foreground.",
        discussion: """
            Like any other app of homehubd, homeweb needs permission and has no access to accessory keys. Visitors \
            need the token that "homehub web" shows, except in a browser that the same user runs on this computer, \
            at a loopback address and without a proxy. With --require-token, they need the token there, too.
            """,
        version: "homeweb \(Version.current)")

    @Option(help: ArgumentHelp("The address and port to listen on.", valueName: "ADDRESS:PORT"))
    var listen = "127.0.0.1:8480"

    @Option(help: ArgumentHelp("The home hub's socket.", valueName: "SOCKET"))
    var socket: String?

    @Option(help: ArgumentHelp("The bridge's socket for the page, in its runtime directory.", valueName: "SOCKET"))
    var bridgeSocket: String?

    @Option(help: ArgumentHelp("The directory for the list of people with access.", valueName: "DIR"))
    var stateDirectory = ServiceDirectory.first(in: "STATE_DIRECTORY") ?? "/var/lib/homeweb"

    @Option(
        help: ArgumentHelp(
            """
            Another host name of the page, such as home.example. Behind a proxy, the page's full address, such as \
            https://home.example.
            """,
            valueName: "NAME"))
    var name: [String] = []

    @Option(help: ArgumentHelp("The TLS certificate and its chain, in PEM format.", valueName: "FILE"))
    var certificate: String?

    @Option(help: ArgumentHelp("The certificate's private key, in PEM format.", valueName: "FILE"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            """
            The address of a reverse proxy, or a range such as 10.0.0.0/8. Its requests need a token, and the client's \
            address and scheme are taken from X-Forwarded-For and X-Forwarded-Proto, or from Forwarded.
            """,
            valueName: "ADDRESS"))
    var behindProxy: [String] = []

    @Flag(help: "Require a token on this computer, too.")
    var requireToken = false

    @Option(
        help: ArgumentHelp("The log level: trace, debug, info, notice, warning, error or critical.", valueName: "LEVEL")
    )
    var logLevel = Logger.Level.info

    func validate() throws {
        guard Self.address(listen) != nil else {
            let port = listen.split(separator: ":").last.flatMap { Int($0) } ?? 0
            throw ValidationError(
                port > Int(UInt16.max)
                    ? "--listen: \(port) isn't a valid port; the highest is 65535."
                    : "--listen needs an address and a port, such as 127.0.0.1:8480 or [::]:8480, not \(listen).")
        }
        for text in behindProxy where IPNetwork(text) == nil {
            throw ValidationError(
                "--behind-proxy needs an address or a range, such as 127.0.0.1 or 10.0.0.0/8, not \(text).")
        }
        for text in name where PageName(text) == nil {
            throw ValidationError(
                "--name needs a host name or an address, such as home.example or https://home.example, not \(text).")
        }
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("Use --certificate and --key together.")
        }
    }

    /// Runs on the main thread, before other threads exist.
    @MainActor static func main() async {
        Allocator.setUp()
        await main(nil)
    }

    func run() async throws {
        let log = LogSetup.bootstrap(level: logLevel)
        defer { log.flush() }
        let logger = Logger(label: "homeweb")
        do {
            guard let address = Self.address(listen) else { throw ValidationError("--listen \(listen)") }
            let own = PageCertificate(directory: stateDirectory)
            var tls = own.exists ? WebServer.TLSFiles(certificate: own.path, key: own.path, isOwn: true) : nil
            if let certificate, let key { tls = WebServer.TLSFiles(certificate: certificate, key: key) }
            let settings = WebServer.Settings(
                host: address.host, port: address.port, names: names, publicNames: name.compactMap { PageName($0) },
                proxies: ReverseProxies(networks: behindProxy.compactMap { IPNetwork($0) }), tls: tls)
            try await WebDaemon(
                settings: settings, stateDirectory: stateDirectory, isTokenNeeded: requireToken, hubSocket: socket,
                bridgeSocket: SocketLocation(of: .bridgeView, given: bridgeSocket), notifier: ServiceNotifier(),
                logger: logger
            ).run()
        } catch {
            log.report(error, of: "homeweb", to: logger)
            throw ArgumentParser.ExitCode(Self.code(error))
        }
    }

    /// Splits `127.0.0.1:8480`, `[::1]:8480` or `localhost:8480`.
    ///
    /// Returns `nil` for any other text.
    static func address(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard IPAddressText.isAddress(host) || host == "localhost" else { return nil }
        return (host, Int(port))
    }

    /// The host names of the page: this computer's names and those of `--name`.
    private var names: Set<String> {
        Set((PageCertificate.computerNames + name).compactMap { PageName($0)?.host })
    }

    /// Returns the exit code for an error, from sysexits(3).
    private static func code(_ error: any Error) -> Int32 {
        (error as? TerminalError)?.code ?? SystemKit.ExitCode(error).rawValue
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
