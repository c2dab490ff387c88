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

struct ResetCommand: UnavailableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Give the bridge a new identity (not available in this version).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct BackupCommand: UnavailableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Save everything the bridge knows (not available in this version).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct RestoreCommand: UnavailableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring back a backup (not available in this version).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct ReloadCommand: UnavailableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Read the configuration again (not available in this version).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct DoctorCommand: UnavailableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at the bridge from outside (not available in this version).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}

struct PairingsUnlockCommand: UnavailableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Clear the failed-attempts counter (not available in this version).")
    @Argument(parsing: .captureForPassthrough) var words: [String] = []
}
