import ArgumentParser
import BoundedJSON
import Doctor
import Glibc
import HubControl
import OperatorControl
import SystemKit
import TerminalKit

struct HomeDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the hub, its files and each accessory, and report problems with their remedies.",
        discussion: "Exits with 0 if there is no problem.")

    @Option(
        help: ArgumentHelp("The configuration to check if the hub isn't running.", valueName: "file"),
        completion: .file())
    var config: String?

    @OptionGroup var place: HubStateOption
    @OptionGroup var options: HomeOptions

    func run() async throws {
        let findings = Diagnosis.findings(await stableFacts())
        Terminal.current.write(
            options.json ? JSONValue(encoding: DiagnosisReport(findings)).text + "\n" : Self.text(of: findings))
        guard let verdict = findings.verdict else { return }
        throw OperatorError(
            code: verdict.code, message: "\(verdict.check.rawValue): \(verdict.message)", remedy: verdict.remedy)
    }

    static func text(of findings: [CheckResult]) -> String {
        guard findings.verdict == nil else { return findings.text }
        return findings.text + "\nThis host found no problems\(findings.butWarnings).\n"
    }

    // MARK: Facts

    /// The maximum number of addresses of an accessory to connect to.
    private static let maximumAddresses = 4

    /// Collects the facts.
    ///
    /// If a failed check may pass a little later, for example while the hub is connecting, the facts are collected again.
    private func stableFacts() async -> HomeFacts {
        let facts = await facts()
        switch Diagnosis.findings(facts).verdict?.check {
        case .discovery, .accessories:
            guard (try? await Task.sleep(for: .milliseconds(1500))) != nil else { return facts }
            return await self.facts()
        default: return facts
        }
    }

    private func facts() async -> HomeFacts {
        async let bus = UnixProbe.systemBus(address: Terminal.current.environment("DBUS_SYSTEM_BUS_ADDRESS"))
        async let avahi = UnixProbe.avahi()
        var facts = HomeFacts(daemon: await daemon(), time: Int(WallClock.now / 1000))
        (facts.bus, facts.avahi) = (await bus, await avahi)
        guard case .answers(let answer) = facts.daemon else { return facts }
        facts.socket = options.appSocket
        var status = stat()
        if stat(facts.socket, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { facts.socketMode = status.st_mode }
        // A further connection to a connected accessory could take the place of another controller's.
        let missing = Set(answer.diagnostics.servers.filter { !$0.isConnected }.map(\.deviceID))
        if !missing.isEmpty { facts.connections = await connect(to: missing, on: answer.diagnostics.interfaces) }
        return facts
    }

    private func connect(to devices: Set<String>, on interfaces: [String]) async -> [String: [Facts.Connection]] {
        let found = await Resolver.lookForAll(on: interfaces)
        return await withTaskGroup(of: (String, [Facts.Connection]).self) { group in
            for device in devices {
                guard let (port, targets) = found.endpoints(ofDevice: device) else { continue }
                let tried = Array(targets.prefix(Self.maximumAddresses))
                group.addTask { (device, await TCPProbe.connect(to: tried, port: port)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func daemon() async -> DaemonState<HubAnswer> {
        await .asking(.hub, at: options.control, isInstalled: isInstalled, start: start) { [options] in
            try await options.operate { HubAnswer(try await $0.status(), try await $0.diagnostics()) }
        }
    }

    /// A Boolean value that indicates whether the state directory of the hub with the socket exists.
    private var isInstalled: Bool {
        (place.stateDirectory ?? options.places?.stateDirectory).map { access($0, F_OK) == 0 } ?? false
    }

    /// Returns the results of a start check, or `nil` if the daemon's program or the locations of its files are
    /// unknown.
    private func start() -> StartOutput? {
        let runtime = options.appSocket.lastIndex(of: "/").map { String(options.appSocket[..<$0]) } ?? "."
        guard let state = place.stateDirectory ?? options.places?.stateDirectory,
            let daemon = InstalledProgram(of: .hub).path
        else { return nil }
        // The default file is optional, so it's checked only if it exists.
        let file = config ?? options.places?.configuration
        return StartProbe.run(
            daemon, user: OperatedDaemon.hub.group, configuration: file.flatMap { access($0, F_OK) == 0 ? $0 : config },
            stateDirectory: state, runtimeDirectory: runtime)
    }
}
