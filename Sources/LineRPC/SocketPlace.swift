import Glibc
import Logging
import NIOCore

/// The file of a socket.
///
/// It is checked, created atomically, and removed when the server ends.
struct SocketPlace: Sendable {
    /// The identity of the file, used to avoid removing the socket of another server that has replaced it.
    struct File: Equatable, Sendable {
        let device: dev_t
        let inode: ino_t
    }

    let path: String
    var temporary: String { path + ".new" }

    /// Checks that no process answers at the path.
    ///
    /// Files that a crash left behind may be replaced.
    func prepare(limits: LineLimits) async throws(LineRPCError) {
        for path in [path, temporary] {
            guard let status = status(of: path) else { continue }
            guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        }
        if status(of: path) != nil {
            do throws(LineRPCError) {
                let channel = try await UnixSocket.connect(to: path, limits: limits)
                try? await channel.executeThenClose { _, _ in }
                throw LineRPCError.inUse(path: path)
            } catch {
                // `publish` replaces the file of a server that no longer runs.
                guard case .unreachable = error else { throw error }
            }
        }
        unlink(temporary)
    }

    /// Sets the mode and the group of the bound socket, and moves it to its final path.
    func publish(mode: mode_t, group: String?, logger: Logger) throws(LineRPCError) -> File {
        guard chmod(temporary, mode) == 0 else { throw failed() }
        // The sandbox of a service can forbid even a change to the same group.
        if let group, let id = Self.id(ofGroup: group), status(of: temporary)?.st_gid != id,
            chown(temporary, uid_t.max, id) != 0
        {
            logger.warning(
                "socket group change failed",
                metadata: ["socket": "\(path)", "group": "\(group)", "error": "\(reason())"])
        }
        guard let status = status(of: temporary), rename(temporary, path) == 0 else { throw failed() }
        return File(device: status.st_dev, inode: status.st_ino)
    }

    func remove(_ file: File) {
        guard let status = status(of: path), file == File(device: status.st_dev, inode: status.st_ino) else { return }
        unlink(path)
    }

    func cannotListen(_ error: any Error) -> LineRPCError {
        switch error {
        case SocketAddressError.unixDomainSocketPathTooLong: .pathTooLong(path: path)
        case let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM:
            .noPermission(path: path)
        case let error as IOError: .cannotListen(path: path, reason: String(cString: strerror(error.errnoCode)))
        default: .cannotListen(path: path, reason: "\(error)")
        }
    }

    private func failed() -> LineRPCError {
        let error = LineRPCError.cannotListen(path: path, reason: reason())
        unlink(temporary)
        return error
    }

    private func reason() -> String { String(cString: strerror(errno)) }

    private func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private static func id(ofGroup name: String) -> gid_t? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard getgrnam_r(name, &entry, buffer.baseAddress, buffer.count, &found) == 0, let found else { return nil }
            return found.pointee.gr_gid
        }
    }
}
