import Glibc
import NIOCore

/// The identity of a peer on a Unix socket, as reported by the system.
///
/// Only the user can be trusted, because the kernel records it when the peer connects. The executable distinguishes the
/// programs of one user, but isn't a security boundary: a program can connect and then run another program that
/// inherits the connection, and programs of one user can control each other. A permission that one program of a user
/// has therefore can't be withheld from the user's other programs.
///
/// The system decides which executables a daemon can see. Without `CAP_SYS_PTRACE`, a daemon sees only the executables
/// of its own user. For all other peers, only the user is known.
package struct PeerIdentity: Sendable, Hashable {
    /// The user that the peer ran as when it connected.
    package let uid: UInt32
    package let gid: UInt32
    /// The process that connected.
    ///
    /// It may have ended since then.
    package let pid: Int32
    /// The program that the process ran when the server accepted the connection.
    ///
    /// It is empty if the process has ended or can't be inspected, or if the program's file was replaced or removed.
    package let executable: String

    package init(uid: UInt32, gid: UInt32, pid: Int32, executable: String) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.executable = executable
    }
}

extension PeerIdentity {
    /// The C structure `struct ucred`, which Swift doesn't import.
    private struct Credentials: Sendable {
        var pid: Int32
        var uid: UInt32
        var gid: UInt32
    }

    /// Returns the user that a peer ran as when it connected; `nil` if the system doesn't report it.
    static func user(of channel: any Channel) async -> UInt32? {
        guard let socket = channel as? any SocketOptionProvider else { return nil }
        return await credentials(of: socket)?.uid
    }

    private static func credentials(of socket: any SocketOptionProvider) async -> Credentials? {
        try? await socket.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        ).get()
    }

    /// Returns the identity of the peer of a new connection; `nil` if the system doesn't report it.
    static func of(_ channel: any Channel) async -> PeerIdentity? {
        guard let socket = channel as? any SocketOptionProvider, let credentials = await credentials(of: socket) else {
            return nil
        }
        // Since Linux 6.5, the socket provides a handle for the process in addition to its number.
        let handle: CInt? = try? await socket.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: Self.peerPIDFD)
        ).get()
        defer { if let handle { close(handle) } }
        return PeerIdentity(
            uid: credentials.uid, gid: credentials.gid, pid: credentials.pid,
            executable: executable(of: credentials.pid, ranBy: credentials.uid, handle: handle) ?? "")
    }

    /// The socket option `SO_PEERPIDFD`.
    private static let peerPIDFD: CInt = 77

    /// Returns the executable of a process; `nil` if it is unknown.
    ///
    /// The folder in `/proc` is opened first, so that everything read through it belongs to one process, even if the
    /// process number is reused. The handle becomes readable when the peer ends, so the folder belongs
    /// to the peer as long as the handle isn't readable. Without a handle, at least the user must match.
    private static func executable(of pid: Int32, ranBy uid: UInt32, handle: CInt?) -> String? {
        guard pid > 0 else { return nil }
        let folder = open("/proc/\(pid)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        if let handle {
            var poll = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, 0) == 0 else { return nil }
        }
        var status = stat()
        guard fstat(folder, &status) == 0, handle != nil || status.st_uid == uid else { return nil }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, filled in
            count = buffer.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlinkat(folder, "exe", $0, text.count) } ?? 0
            }
            filled = max(0, count)
        }
        guard count > 0, count < Int(PATH_MAX), let path = String(validating: bytes, as: UTF8.self) else { return nil }
        // Check that the path still names the running file, which may have been deleted or may be in another mount
        // namespace.
        var (running, named) = (stat(), stat())
        guard fstatat(folder, "exe", &running, 0) == 0, stat(path, &named) == 0,
            running.st_dev == named.st_dev, running.st_ino == named.st_ino
        else { return nil }
        return path
    }
}
