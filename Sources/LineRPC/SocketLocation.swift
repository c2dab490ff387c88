import Glibc

/// The socket of a daemon, and the users that the daemon there may run as.
package struct SocketLocation: Sendable, Equatable {
    /// The daemon that is looked for.
    package struct Daemon: Sendable {
        /// The environment variable that names its socket.
        let variable: String
        /// The socket's file name in a directory that `make run` made.
        let name: String
        /// The socket of the installed service.
        let installed: String
        /// The user that the service runs as.
        let user: String

        package static let bridge = Daemon(
            variable: "LAMPLIGHTER_CONTROL", name: "control.sock", installed: "/run/lamplighter/control.sock",
            user: "lamplighter")
        package static let hub = Daemon(
            variable: "HOMEHUB_SOCKET", name: "home.sock", installed: "/run/homehub/home.sock", user: "homehub")
    }

    package let path: String
    /// The users that the daemon may run as; `nil` for any, where a person chose the socket.
    package let servers: Set<UInt32>?
    /// Why the socket that `make run` made in the current directory isn't used, if there is one.
    package let remark: String?

    package init(chosen path: String) {
        self.path = path
        servers = nil
        remark = nil
    }

    /// Takes the given path, else that of the environment, else a socket in the current directory that no other user can have
    /// put there, else the installed service's.
    package init(
        of daemon: Daemon, given: String?,
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
        directory: String = "."
    ) {
        if let chosen = given ?? environment(daemon.variable), given != nil || !chosen.isEmpty {
            (path, servers, remark) = (chosen, nil, nil)
            return
        }
        let local = "\(directory)/.lamplighter/run/\(daemon.name)"
        let isThere = access(local, F_OK) == 0
        remark = isThere ? Self.distrust(directory) : nil
        path = isThere && remark == nil ? local : daemon.installed
        var servers: Set<UInt32> = [0, geteuid()]
        if path == daemon.installed, let service = getpwnam(daemon.user) { servers.insert(service.pointee.pw_uid) }
        self.servers = servers
    }

    /// Why another user may have put a socket there; `nil` if none can have.
    private static func distrust(_ directory: String) -> String? {
        // The owner of the current directory can replace what is in it: root uses none of another user's.
        let inClone = [directory + "/.lamplighter", directory + "/.lamplighter/run"]
        let places = (geteuid() == 0 ? [directory] : []) + inClone
        for place in places {
            var status = stat()
            guard lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                return "\(place) is not a directory"
            }
            guard status.st_uid == geteuid() else { return "\(place) belongs to another user" }
            guard place == directory || status.st_mode & 0o022 == 0 else { return "other users can write \(place)" }
        }
        return nil
    }
}
