/// The files of a daemon, derived from its control socket.
///
/// The locations depend on how the daemon was started.
struct DaemonPlaces: Equatable {
    let configuration: String
    let stateDirectory: String
    /// The shell command that starts the daemon.
    let startCommand: String

    /// Derives the locations from the path of a control socket, or returns `nil` if the daemon was started in an
    /// unsupported way.
    init?(socket: String) {
        switch socket {
        case "./.lamplighter/run/control.sock":
            // The daemon was started by `make run`.
            configuration = "Config/demo.yaml"
            stateDirectory = "./.lamplighter"
            startCommand = "make run"
        case "/run/lamplighter/control.sock":
            configuration = "/etc/lamplighter/lamplighter.yaml"
            stateDirectory = "/var/lib/lamplighter"
            startCommand = "sudo systemctl start lamplighterd"
        default:
            // The daemon is an instance of lamplighterd@.service.
            let (start, end) = ("/run/lamplighter-", "/control.sock")
            guard socket.hasPrefix(start), socket.hasSuffix(end) else { return nil }
            let name = socket.dropFirst(start.count).dropLast(end.count)
            guard !name.isEmpty, !name.contains("/") else { return nil }
            configuration = "/etc/lamplighter/\(name).yaml"
            stateDirectory = "/var/lib/lamplighter-\(name)"
            startCommand = "sudo systemctl start lamplighterd@\(name)"
        }
    }
}
