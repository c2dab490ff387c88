import ServiceLifecycle
package import UnixSignals

/// Reads the configuration again when SIGHUP asks for it.
package struct SIGHUPService: Service {
    private let hangups: UnixSignalsSequence
    private let reload: @Sendable () async -> Void

    /// Creates the service; the signals have been trapped since before the daemon was ready.
    package init(_ hangups: UnixSignalsSequence, reload: @escaping @Sendable () async -> Void) {
        self.hangups = hangups
        self.reload = reload
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { for await _ in hangups { await reload() } }
    }
}
