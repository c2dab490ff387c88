import ArgumentParser
import OperatorControl

/// The state directory, for commands that work while the hub isn't running.
struct HubStateOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The state directory of a hub that isn't running.", valueName: "dir"),
        completion: .directory)
    var stateDirectory: String?

    /// Returns the directory from the option, or else the state directory of the hub with the socket.
    ///
    /// - Throws: `OperatorError` if neither is known.
    func directory(_ options: HomeOptions) throws(OperatorError) -> String {
        guard let directory = stateDirectory ?? options.places?.stateDirectory else {
            throw .usage(
                "no hub listens at \(options.appSocket)",
                remedy: "start homehubd, or specify its state directory with --state-directory")
        }
        return directory
    }
}
