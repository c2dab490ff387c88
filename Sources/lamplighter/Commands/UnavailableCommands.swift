import ArgumentParser
import BridgeControl

/// A command that the manual names and this version does not have.
protocol UnavailableCommand: ParsableCommand {}

extension UnavailableCommand {
    func run() throws {
        throw BridgeControlError.unavailable(
            "\(Self.configuration.commandName ?? "this") is not available in this version")
    }
}

struct DoctorCommand: UnavailableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at the bridge from outside (not available in this version).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}
