import ArgumentParser
import BridgeControl

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Change a simulated light, as if someone turned its knob.",
        discussion: """
            For example: lamplighter simulate simulated/reading on=false reachable=false, or lamplighter simulate \
            simulated/hall motion=true temperature=21.5
            """)

    @Argument(help: "The light's key, from lamplighter lights.", completion: .lightKeys)
    var key: String

    @Argument(
        help: "\(LightChange.Purpose.simulation.help); and reachable.", completion: .changes(.simulation))
    var changes: [String] = []

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let change = try LightChange(parsing: changes, for: .simulation)
        try await options.ask { [key] in try await $0.simulate(key, change) }
    }
}
