import ArgumentParser
import BoundedJSON
import BridgeControl
import Doctor
import Glibc
import TerminalKit

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the bridge from outside and report the first problem.",
        discussion: """
            Exits with 0 if there is no problem. The network between this host and controllers can be checked only if \
            other hosts answer mDNS queries.
            """)

    @Flag(help: "Check again after 130 s, when switches have forgotten multicast listeners.")
    var long = false

    @Option(help: .hidden)
    var pause = Int(Diagnosis.snoopingTime / .seconds(1))

    @Option(help: ArgumentHelp("The configuration to check if the daemon isn't running.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The state directory to check if the daemon isn't running.", valueName: "dir"))
    var stateDirectory: String?

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let facts = await stableFacts()
        var findings = Diagnosis.findings(facts)
        if long {
            if findings.verdict == nil {
                Terminal.current.writeError("lamplighter: checking again in \(pause) s\n")
                try await Task.sleep(for: .seconds(pause))
            }
            findings.append(Diagnosis.lasting(facts, findings.verdict == nil ? await stableFacts() : facts))
        }
        Terminal.current.write(
            options.json ? JSONValue(encoding: DiagnosisReport(findings)).text + "\n" : Self.text(of: findings))
        guard let verdict = findings.verdict else { return }
        throw BridgeControlError(
            code: verdict.code, message: "\(verdict.check.rawValue): \(verdict.message)", remedy: verdict.remedy)
    }

    /// Collects the facts.
    ///
    /// If a failed check may pass a little later, for example while Avahi is starting, the facts are collected again.
    private func stableFacts() async -> Facts {
        let gatherer = FactGatherer(options: options, config: config, stateDirectory: stateDirectory)
        let facts = await gatherer.facts()
        switch Diagnosis.findings(facts).verdict?.check {
        case .advertisement, .visible, .record:
            guard (try? await Task.sleep(for: .milliseconds(1500))) != nil else { return facts }
            return await gatherer.facts()
        default: return facts
        }
    }

    // MARK: Output

    static func text(of findings: [CheckResult]) -> String {
        guard findings.verdict == nil else { return findings.text }
        return findings.text + """

            This host found no problems\(findings.butWarnings). Its own queries don't pass through the network, so a switch, an access
            point or a firewall may still block controllers. To check that, run avahi-browse -rt _hap._tcp on
            another computer, or doctor --long here if other hosts answer mDNS queries.

            """
    }
}
