import Glibc
import NIOCore
import NIOPosix
import SystemKit

/// Finds out whether a program answers at a Unix socket.
package enum UnixProbe {
    package enum Outcome: Equatable, Sendable {
        case answers
        /// There is no socket, or no process listens at it.
        case absent
        /// It takes connections and says nothing: the program hangs.
        case silent
        case refused(reason: String)
    }

    private static let timeout = Duration.seconds(2)

    /// Asks Avahi's own socket for its list of commands.
    package static func avahi() async -> Outcome { await ask("/run/avahi-daemon/socket", "HELP\n") }

    /// Begins to authenticate at the system's D-Bus, as every client does, and returns whether it answers; `address` is
    /// the value of `DBUS_SYSTEM_BUS_ADDRESS`.
    package static func systemBus(address: String?) async -> Outcome {
        await ask(busPath(in: address) ?? "/run/dbus/system_bus_socket", "\0AUTH\r\n")
    }

    /// Whether no process listens at a socket; `false` also if one might listen that can't be reached.
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

    /// The path in a D-Bus address such as `unix:path=/run/bus,guid=1;tcp:...`; the first that has one.
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
            case .end: return .refused(reason: "it hangs up")
            }
        } catch let error as IOError {
            switch error.errnoCode {
            case _ where absent.contains(error.errnoCode): return .absent
            // The backlog of connections is full.
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
