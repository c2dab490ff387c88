import AsyncKit
import BridgeControl
import Doctor
import Glibc
import LineRPC
import SystemKit
import TerminalKit

/// Collects the facts for `doctor`.
struct FactGatherer {
    /// The time limit for the daemon's answers.
    ///
    /// After this time, the daemon is reported as hanging.
    private static let timeout = Duration.seconds(4)
    /// The maximum number of advertised addresses to connect to.
    private static let maximumAddresses = 16

    let options: BridgeOptions
    let config: String?
    let stateDirectory: String?

    func facts() async -> Facts {
        async let bus = UnixProbe.systemBus(address: Terminal.current.environment("DBUS_SYSTEM_BUS_ADDRESS"))
        async let avahi = UnixProbe.avahi()
        let (daemon, lights) = await daemon()
        var facts = Facts(daemon: daemon, time: Int(WallClock.now / 1000))
        facts.bus = await bus
        facts.avahi = await avahi
        facts.unreachableLights = lights.filter { !$0.reachable }.map(\.name)
        guard case .answers(let status, let diagnostics) = daemon else { return facts }

        facts.listeners = MulticastListeners.users()
        facts.queryResults = await Resolver.look(for: status.advertisement.name, on: diagnostics.interfaces)
        let targets = facts.addresses(of: status.advertisement.name).prefix(Self.maximumAddresses)
        facts.connections = await connect(to: Array(targets), status.port)
        return facts
    }

    private func connect(to targets: [TCPProbe.Target], _ port: Int) async -> [Facts.Connection] {
        await withTaskGroup(of: (Int, Facts.Connection).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask { (index, await TCPProbe.connect(to: target, port: port)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    // MARK: Daemon

    private typealias Answer = (BridgeStatus, BridgeDiagnostics, [LightListing])

    private func daemon() async -> (Facts.Daemon, [LightListing]) {
        do {
            guard let (status, diagnostics, lights) = try await answer() else {
                return (.unfit(reason: "lamplighterd accepts connections but doesn't answer"), [])
            }
            return (.answers(status, diagnostics), lights)
        } catch let error as BridgeControlError {
            // Omit the error's remedy, because the diagnosis adds a better remedy.
            switch error.code {
            case 77: return (.forbidden(reason: error.message), [])
            case 69 where await UnixProbe.isAbsent(options.socket):
                if let distrust = options.location.distrust, !isInstalled {
                    return (.distrusted(reason: distrust.reason, remedy: distrust.remedy), [])
                }
                return (.absent(reason: error.message, start: start()), [])
            default: return (.unfit(reason: error.description), [])
            }
        } catch {
            return (.unfit(reason: "\(error)"), [])
        }
    }

    /// Returns the daemon's answers, or `nil` if they don't arrive in time.
    private func answer() async throws -> Answer? {
        try await withTimeLimit(Self.timeout) {
            try await options.ask { bridge in
                (try await bridge.status(), try await bridge.diagnostics(), try await bridge.lights())
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
    private func start() -> Facts.StartCheck? {
        let runtime = options.socket.lastIndex(of: "/").map { String(options.socket[..<$0]) } ?? "."
        let places = DaemonPlaces(socket: options.socket)
        guard let config = config ?? places?.configuration, let state = stateDirectory ?? places?.stateDirectory,
            let daemon = DaemonProgram.path
        else { return nil }
        return StartProbe.run(daemon, configuration: config, stateDirectory: state, runtimeDirectory: runtime)
    }
}
