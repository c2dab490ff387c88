import ServiceLifecycle

/// Records the bridge's warnings, so that a problem of the night is still known in the morning.
///
/// A problem that ends before the next check isn't recorded.
struct WarningWatch: Service {
    private static let interval = Duration.seconds(30)

    let operations: BridgeOperations

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { _ = try? await operations.warnings() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }
}
