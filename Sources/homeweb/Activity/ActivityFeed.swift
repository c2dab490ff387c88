import HomeClient
import HomeModel
import Synchronization

/// The changes of the activity, for all open pages.
///
/// The home hub reports a change only after the activity was loaded. Pages load it when ``version`` changes.
final class ActivityFeed: Sendable {
    /// The shortest interval between two redraws, because sensors may report many changes in a second.
    private static let pace = Duration.seconds(1)

    private struct State {
        var version: UInt64 = 0
        var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastReader: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A number that increases when the activity changes.
    var version: UInt64 { state.withLock(\.version) }

    /// Reports changes until the stream is released.
    var changes: AsyncStream<Void> {
        let (changes, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = sink
            return state.lastReader
        }
        sink.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        return changes
    }

    /// Follows the changes until the task is canceled.
    func follow(_ manager: HomeManager) async {
        let (changes, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                for await event in manager.allEvents() {
                    switch event {
                    case .manager(.activityUpdated), .manager(.homesUpdated): sink.yield()
                    default: break
                    }
                }
                sink.finish()
            }
            for await _ in changes {
                report()
                try? await Task.sleep(for: Self.pace)
            }
            tasks.cancelAll()
        }
    }

    private func report() {
        let readers = state.withLock { state in
            state.version += 1
            return Array(state.readers.values)
        }
        // Notify readers after unlocking: a reader that ends holds its task's lock while it waits for this lock.
        for reader in readers { reader.yield() }
    }
}
