import ArgumentParser
import BridgeControl

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Let a simulated light change, as if someone turned its knob.",
        discussion: "For example: lamplighter simulate simulated/reading on=false reachable=false")

    @Argument(help: "The light's key, as lamplighter lights shows it.")
    var key: String

    @Argument(help: "on, brightness (percent), hue (degrees), saturation (percent), temperature (mired), reachable.")
    var changes: [String] = []

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let change = try LightChange(parsing: changes, for: .simulation)
        try await options.ask { [key] in try await $0.simulate(key, change) }
    }
}
