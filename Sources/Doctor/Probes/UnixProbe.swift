import Glibc
import NIOCore
import NIOPosix
import SystemKit

/// Checks whether a program answers on a Unix socket.
package enum UnixProbe {
    package enum Outcome: Equatable, Sendable {
        case answers
        /// The socket doesn't exist, or no process listens on it.
        case absent
        /// The program accepts connections but doesn't answer, which means that it hangs.
        case silent
        case refused(reason: String)
    }

    private static let timeout = Duration.seconds(2)

    /// Requests the list of commands from the Avahi daemon, and returns whether it answers.
    package static func avahi() async -> Outcome { await ask("/run/avahi-daemon/socket", "HELP\n") }

    /// Starts the authentication of a client on the system D-Bus, and returns whether the bus answers.
    ///
    /// `address` is the value of `DBUS_SYSTEM_BUS_ADDRESS`, or `nil` for the default address.
    package static func systemBus(address: String?) async -> Outcome {
        await ask(busPath(in: address) ?? "/run/dbus/system_bus_socket", "\0AUTH\r\n")
    }

    /// Returns whether it's certain that no process listens on a socket.
    ///
    /// It returns `false` if the socket can't be accessed, because a process may be listening on it.
    package static func isAbsent(_ path: String) async -> Bool {
        do {
            try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(unixDomainSocketPath: path).flatMap { $0.close() }.get()
            return false
        } catch let error as IOError {
            return absent.contains(error.errnoCode)
        } catch {
            return false
        }
    }

    private static let absent = [ENOENT, ECONNREFUSED, ENOTDIR]

    /// Returns the first path in a D-Bus address such as `unix:path=/run/bus,guid=1;tcp:...`.
    static func busPath(in address: String?) -> String? {
        for alternative in (address ?? "").split(separator: ";") where alternative.hasPrefix("unix:") {
            for pair in alternative.dropFirst(5).split(separator: ",") where pair.hasPrefix("path=") {
                return String(pair.dropFirst(5))
            }
        }
        return nil
    }

    private static func ask(_ path: String, _ question: String) async -> Outcome {
        do {
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(TimeAmount(timeout))
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            let answer = try await channel.firstAnswer(to: Array(question.utf8), within: timeout)
            switch answer {
            case .bytes: return .answers
            case .nothing: return .silent
            case .end: return .refused(reason: "it closes the connection")
            }
        } catch let error as IOError {
            switch error.errnoCode {
            case _ where absent.contains(error.errnoCode): return .absent
            // The program's queue of pending connections is full.
            case EAGAIN: return .silent
            default: return .refused(reason: SystemError(code: error.errnoCode).reason)
            }
        } catch is ChannelError {
            return .silent
        } catch {
            return .refused(reason: "\(error)")
        }
    }
}
