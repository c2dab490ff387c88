import BridgeControl
import Doctor
import Glibc
import LineRPC
import SystemKit
import TerminalKit

/// Collects the facts for `doctor`.
struct FactGatherer {
    /// The maximum number of advertised addresses to connect to.
    private static let maximumAddresses = 16

    let options: BridgeOptions
    let config: String?
    let stateDirectory: String?

    func facts() async -> Facts {
        async let bus = UnixProbe.systemBus(address: Terminal.current.environment("DBUS_SYSTEM_BUS_ADDRESS"))
        async let avahi = UnixProbe.avahi()
        var facts = Facts(daemon: await daemon(), time: Int(WallClock.now / 1000))
        facts.bus = await bus
        facts.avahi = await avahi
        guard case .answers(let answer) = facts.daemon else { return facts }
        let (status, diagnostics) = (answer.status, answer.diagnostics)

        facts.listeners = MulticastListeners.users()
        facts.queryResults = await Resolver.look(for: status.advertisement.name, on: diagnostics.interfaces)
        let targets = facts.addresses(of: status.advertisement.name).prefix(Self.maximumAddresses)
        facts.connections = await TCPProbe.connect(to: Array(targets), port: status.port)
        return facts
    }

    // MARK: Daemon

    private func daemon() async -> DaemonState<BridgeAnswer> {
        await .asking(.bridge, at: options.location, isInstalled: isInstalled, start: start) { [options] in
            try await options.ask { bridge in
                let (status, diagnostics) = (try await bridge.status(), try await bridge.diagnostics())
                let lights = try await bridge.lights()
                return BridgeAnswer(
                    status, diagnostics, unreachableLights: lights.filter { !$0.reachable }.map(\.name))
            }
        }
    }

    /// A Boolean value that indicates whether the configuration file of the daemon with the control socket exists.
    private var isInstalled: Bool {
        guard let path = config ?? DaemonPlaces(socket: options.socket)?.configuration else { return false }
        return access(path, F_OK) == 0
    }

    /// Returns the results of a start check, or `nil` if the daemon's program or the locations of its files are
    /// unknown.
    private func start() -> StartOutput? {
        let runtime = options.socket.lastIndex(of: "/").map { String(options.socket[..<$0]) } ?? "."
        let places = DaemonPlaces(socket: options.socket)
        guard let config = config ?? places?.configuration, let state = stateDirectory ?? places?.stateDirectory,
            let daemon = InstalledProgram(of: .bridge).path
        else { return nil }
        return StartProbe.run(daemon, configuration: config, stateDirectory: state, runtimeDirectory: runtime)
    }
}
