internal import Glibc
internal import NIOCore
internal import NIOPosix

/// A program that is started while a socket is open must not get hold of it: it would keep the port taken, and
/// connections open that we have closed.
func keepFromChildren(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    }
}
