import Glibc
import SystemKit

/// The socket of a daemon, and the users that this daemon may run as.
package struct SocketLocation: Sendable, Equatable {
    /// A daemon to connect to.
    package struct Daemon: Sendable {
        /// The environment variable that contains the path of its socket.
        let variable: String
        /// The socket's file name in the directory that `make run` creates.
        let name: String
        /// The socket of the installed service.
        let installed: String
        /// The user that the service runs as.
        let user: String

        package static let bridge = Daemon(
            variable: "LAMPLIGHTER_CONTROL", name: "control.sock", installed: "/run/lamplighter/control.sock",
            user: "lamplighter")
        /// The bridge's socket for the web page.
        package static let bridgeView = Daemon(
            variable: "LAMPLIGHTER_VIEW", name: "page/bridge.sock", installed: "/run/lamplighter/page/bridge.sock",
            user: "lamplighter")
        package static let hub = Daemon(
            variable: "HOMEHUB_SOCKET", name: "home.sock", installed: "/run/homehub/home.sock", user: "homehub")
    }

    /// The reason why this program doesn't use a socket.
    package struct Distrust: Sendable, Equatable, CustomStringConvertible {
        package let reason: String
        package let remedy: String?

        package var description: String { remedy.map { "\(reason); \($0)" } ?? reason }
    }

    package let path: String
    /// A Boolean value that indicates whether the user of this program chose the socket.
    private let isChosen: Bool
    /// The user of the installed service; `nil` if the socket isn't the service's.
    private let service: String?
    /// The reason why a socket that `make run` created in the current directory isn't used; `nil` if it is used or
    /// doesn't exist.
    package let distrust: Distrust?

    /// The users that the daemon may run as; `nil` for any user, if the user of this program chose the socket.
    ///
    /// The service's user is looked up each time, because the service can be installed while this program is running.
    package var servers: Set<UInt32>? {
        if isChosen { return nil }
        return Set([0, geteuid(), service.flatMap(SystemUser.id(of:))].compactMap { $0 })
    }

    private init(path: String, isChosen: Bool, service: String?, distrust: Distrust?) {
        self.path = path
        self.isChosen = isChosen
        self.service = service
        self.distrust = distrust
    }

    /// Returns the location of another socket of the same daemon.
    package func at(_ path: String) -> SocketLocation {
        SocketLocation(path: path, isChosen: isChosen, service: service, distrust: distrust)
    }

    package init(chosen path: String) {
        self.init(path: path, isChosen: true, service: nil, distrust: nil)
    }

    /// Chooses the first available socket, in this order: the given path, the path in the environment, a socket in the
    /// current directory that no other user can have created, and the installed service's socket.
    package init(
        of daemon: Daemon, given: String?,
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
        directory: String = "."
    ) {
        if let chosen = given ?? environment(daemon.variable), given != nil || !chosen.isEmpty {
            self.init(chosen: chosen)
            return
        }
        let local = "\(directory)/.lamplighter/run/\(daemon.name)"
        let isThere = access(local, F_OK) == 0
        let distrust = isThere ? Self.distrust(directory) : nil
        let isLocal = isThere && distrust == nil
        self.init(
            path: isLocal ? local : daemon.installed, isChosen: false, service: isLocal ? nil : daemon.user,
            distrust: distrust)
    }

    /// Returns the reason why another user may have created the socket; `nil` if no other user can have created it.
    private static func distrust(_ directory: String) -> Distrust? {
        // The owner of the current directory can replace its contents, so root must not trust the directory of another
        // user.
        let inClone = [directory + "/.lamplighter", directory + "/.lamplighter/run"]
        let places = (geteuid() == 0 ? [directory] : []) + inClone
        for place in places {
            var status = stat()
            guard lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                return Distrust(reason: "\(place) isn't a directory", remedy: nil)
            }
            guard status.st_uid == geteuid() else {
                return Distrust(
                    reason: "\(place) belongs to another user",
                    remedy: geteuid() == 0
                        ? "run this without sudo" : "run this as \(SystemUser.name(of: status.st_uid))")
            }
            guard place == directory || status.st_mode & 0o022 == 0 else {
                return Distrust(reason: "other users can write to \(place)", remedy: "run chmod go-w on that directory")
            }
        }
        return nil
    }
}
