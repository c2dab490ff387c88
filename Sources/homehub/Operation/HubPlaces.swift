/// The files of a hub, derived from its socket.
struct HubPlaces: Equatable {
    let configuration: String
    let stateDirectory: String
    /// The shell commands that stop and start the hub.
    let stopCommand, startCommand: String

    init?(socket: String) {
        switch socket {
        case "./.lamplighter/run/home.sock":
            // The hub was started by `make run-home`.
            configuration = "Config/homehub.yaml"
            stateDirectory = "./.lamplighter/home"
            stopCommand = "press Ctrl-C in the terminal of make run-home"
            startCommand = "make run-home"
        case "/run/homehub/home.sock":
            configuration = "/etc/homehub/homehub.yaml"
            stateDirectory = "/var/lib/homehub"
            stopCommand = "sudo systemctl stop homehubd"
            startCommand = "sudo systemctl start homehubd"
        default: return nil
        }
    }
}
