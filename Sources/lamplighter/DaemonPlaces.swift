/// Where a daemon's files are, as far as its control socket tells: each way to start one has its places.
struct DaemonPlaces: Equatable {
    let configuration: String
    let stateDirectory: String
    /// The shell command that starts the daemon.
    let startCommand: String

    /// The places of the daemon with this control socket; `nil` if it was started in a way of its own.
    init?(socket: String) {
        switch socket {
        case "./.lamplighter/run/control.sock":
            // As `make run` starts it.
            configuration = "Config/demo.yaml"
            stateDirectory = "./.lamplighter"
            startCommand = "make run"
        case "/run/lamplighter/control.sock":
            configuration = "/etc/lamplighter/lamplighter.yaml"
            stateDirectory = "/var/lib/lamplighter"
            startCommand = "sudo systemctl start lamplighterd"
        default:
            // An instance of lamplighterd@.service.
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
