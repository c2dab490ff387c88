import ArgumentParser
import BridgeControl

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Change a simulated device, as if it had changed by itself or by hand.",
        discussion: """
            For example: lamplighter simulate simulated/reading off reachable=false, or lamplighter simulate hall \
            motion=true temperature=21.5
            """)

    @Argument(
        help: ArgumentHelp(
            "The device's name or key, then changes. \(LightChange.Purpose.simulation.help); and reachable.",
            valueName: "device> <change"),
        completion: .changes(.simulation))
    var words: [String]

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await options.ask { [words] bridge in
            let (device, changes) = try await bridge.lights().device(namedFirst: words)
            try await bridge.simulate(device.key, LightChange(parsing: changes, for: .simulation, of: device))
        }
    }
}
