import Glibc
import NIOCore

/// Who is at the other end of a Unix socket, as the system says.
///
/// The user is what can be trusted: the kernel notes it when the peer connects. The executable tells the programs of one
/// user apart, and no more: a program can connect, run another in its place, and leave it the connection, and programs
/// of one user can steer each other. What one program of a user may do, another one cannot be kept from.
///
/// Whose executable may be looked at is the system's decision: without `CAP_SYS_PTRACE` a daemon sees those of its own
/// user only, and of all others the user alone is known.
package struct PeerIdentity: Sendable, Hashable {
    /// The user that the peer ran as when it connected.
    package let uid: UInt32
    package let gid: UInt32
    /// The process that connected, which may have gone since.
    package let pid: Int32
    /// The program that the process ran when the connection was taken; empty if it has ended, cannot be looked at, or its
    /// file was replaced or removed.
    package let executable: String

    package init(uid: UInt32, gid: UInt32, pid: Int32, executable: String) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.executable = executable
    }
}

extension PeerIdentity {
    /// `struct ucred`, which Swift does not see.
    private struct Credentials: Sendable {
        var pid: Int32
        var uid: UInt32
        var gid: UInt32
    }

    /// The user that a peer ran as when it connected; `nil` if the system does not say.
    static func user(of channel: any Channel) async -> UInt32? {
        guard let socket = channel as? any SocketOptionProvider else { return nil }
        return await credentials(of: socket)?.uid
    }

    private static func credentials(of socket: any SocketOptionProvider) async -> Credentials? {
        try? await socket.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        ).get()
    }

    /// Asks the system about a connection that was just taken; `nil` if it says nothing.
    static func of(_ channel: any Channel) async -> PeerIdentity? {
        guard let socket = channel as? any SocketOptionProvider, let credentials = await credentials(of: socket) else {
            return nil
        }
        // Since Linux 6.5 the socket knows the process itself, not only its number.
        let handle: CInt? = try? await socket.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: Self.peerPIDFD)
        ).get()
        defer { if let handle { close(handle) } }
        return PeerIdentity(
            uid: credentials.uid, gid: credentials.gid, pid: credentials.pid,
            executable: executable(of: credentials.pid, ranBy: credentials.uid, handle: handle) ?? "")
    }

    /// `SO_PEERPIDFD`.
    private static let peerPIDFD: CInt = 77

    /// What a process runs.
    ///
    /// Its folder in /proc is opened first: what is read through it is of that process, never of a later one with its
    /// number. Whether it is the peer's, the handle tells: that is readable once the peer has ended. Without a handle
    /// at least the user must be the same.
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
        // The name must still be that of the file: not "... (deleted)", nor a name from another view of the files.
        var (running, named) = (stat(), stat())
        guard fstatat(folder, "exe", &running, 0) == 0, stat(path, &named) == 0,
            running.st_dev == named.st_dev, running.st_ino == named.st_ino
        else { return nil }
        return path
    }
}
