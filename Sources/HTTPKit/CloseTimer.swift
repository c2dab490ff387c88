package import NIOCore
internal import NIOSSL

/// Closes a channel after a time limit.
///
/// This ends all pending reads.
package struct CloseTimer {
    private let timer: Scheduled<Void>
    private let deadline: ContinuousClock.Instant

    package init(_ channel: any Channel, after timeout: Duration) {
        deadline = .now + timeout
        timer = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) { channel.abort() }
    }

    package func cancel() { timer.cancel() }

    /// Runs the body and returns its result.
    ///
    /// - Throws: ``HTTPFault/timedOut`` if the body fails after the time limit; otherwise the body's error.
    @concurrent
    package func run<Result>(_ body: @concurrent () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw ContinuousClock.now >= deadline ? HTTPFault.timedOut : error
        }
    }
}

extension Channel {
    /// Closes the channel without waiting for the closing handshake of TLS.
    package func abort() {
        eventLoop.execute { [self] in
            if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self) {
                tls.close(promise: nil)
            } else {
                close(promise: nil)
            }
        }
    }
}
