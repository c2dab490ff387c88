import ServiceLifecycle
import UnixSignals

/// Reads the configuration again when SIGHUP asks for it.
struct HangupService: Service {
    let hangups: UnixSignalsSequence
    let reloader: ConfigurationReloader

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // What is wrong with the file is in the log and in the status.
            for await _ in hangups { _ = try? await reloader.reload() }
        }
    }
}
