import ServiceLifecycle
package import UnixSignals

/// Reads the configuration again when SIGHUP asks for it.
package struct SIGHUPService: Service {
    private let hangups: UnixSignalsSequence
    private let reload: @Sendable () async -> Void

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - hangups: the signals, trapped before anybody was told that the daemon is ready.
    ///   - reload: reads the configuration; what is wrong with it is its own affair.
    package init(_ hangups: UnixSignalsSequence, reload: @escaping @Sendable () async -> Void) {
        self.hangups = hangups
        self.reload = reload
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { for await _ in hangups { await reload() } }
    }
}
