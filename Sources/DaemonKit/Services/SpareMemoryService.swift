import ServiceLifecycle

/// Gives the system back what the heap has free, every few minutes: a busy moment, such as a backup, leaves holes that the C
/// library keeps for ever.
package struct SpareMemoryService: Service {
    private static let interval = Duration.seconds(300)

    package init() {}

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { Allocator.giveBack() }
        }
    }
}
