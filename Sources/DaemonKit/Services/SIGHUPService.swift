import ServiceLifecycle
package import UnixSignals

/// Reloads the configuration on SIGHUP.
package struct SIGHUPService: Service {
    private let hangups: UnixSignalsSequence
    private let reload: @Sendable () async -> Void

    /// Creates the service.
    ///
    /// The caller must trap the signals before the daemon reports that it is ready.
    package init(_ hangups: UnixSignalsSequence, reload: @escaping @Sendable () async -> Void) {
        self.hangups = hangups
        self.reload = reload
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { for await _ in hangups { await reload() } }
    }
}
