import HomeClient
import HomeModel
import HomePresentation
import Synchronization
import SystemKit

/// The last changes, newest first, as long as the page runs.
///
/// What the home tells of itself is always there; values only while somebody looked at them, because nothing is watched
/// that no reader looks at.
final class History: Sendable {
    struct Entry: Sendable, Hashable {
        let time: Timestamp
        let place: String
        let sentence: String
        /// Who did it; empty for what came from the home.
        let who: String
        let path: String?
    }

    /// How many are kept.
    static let limit = 200

    private struct Contents {
        var entries: [Entry] = []
        var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastReader: UInt64 = 0
        var problems = AccessoryProblems()
    }

    private let contents = Mutex(Contents())

    /// The entries, newest first.
    var entries: [Entry] { contents.withLock { $0.entries.reversed() } }

    func add(_ sentence: String, place: String = "", who: String = "", path: String? = nil) {
        let entry = Entry(time: .now, place: place, sentence: sentence, who: who, path: path)
        let readers = contents.withLock { contents -> [AsyncStream<Void>.Continuation] in
            // A lamp that tells each of its values says the same several times.
            let last = contents.entries.last
            guard last?.sentence != sentence || last?.place != place || last?.who != who else { return [] }
            contents.entries.append(entry)
            if contents.entries.count > Self.limit { contents.entries.removeFirst() }
            return Array(contents.readers.values)
        }
        // Outside the lock: a reader that is ending holds the lock of its task, and waits for ours.
        for reader in readers { reader.yield() }
    }

    /// Says that there are more; it ends when it is let go.
    var changes: AsyncStream<Void> {
        let (changes, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = contents.withLock { contents in
            contents.lastReader += 1
            contents.readers[contents.lastReader] = sink
            return contents.lastReader
        }
        sink.onTermination = { [weak self] _ in self?.contents.withLock { $0.readers[number] = nil } }
        return changes
    }

    // MARK: What the home tells

    /// Takes down what others do, until the task is cancelled.
    func follow(_ manager: HomeManager) async {
        let events = manager.allEvents()
        let known = AccessoryProblems(await manager.homes)
        contents.withLock { $0.problems = known }
        await withDiscardingTaskGroup { tasks in
            for await event in events {
                await add(event, manager)
                guard case .manager(.homesUpdated) = event else { continue }
                tasks.addTask {
                    guard (try? await Task.sleep(for: AccessoryProblems.startupTimeout)) != nil else { return }
                    await self.addMissed(manager)
                }
            }
            tasks.cancelAll()
        }
    }

    private func add(_ event: HomeClientEvent, _ manager: HomeManager) async {
        if case .accessory(let event) = event, case .reachabilityUpdated = event.change {
            guard contents.withLock({ $0.problems.changed(event.accessory) }) else { return }
        }
        guard let words = event.words(await manager.homes) else { return }
        add(words.sentence, place: words.place, path: words.path)
    }

    /// Takes down which accessories have gone, or are back, while there was no daemon.
    private func addMissed(_ manager: HomeManager) async {
        let homes = await manager.homes
        for accessory in contents.withLock({ $0.problems.changed(in: homes) }) {
            let home = homes.first { $0.id == accessory.home }
            let event = Accessory.Event(.reachabilityUpdated, to: accessory, revision: home?.revision ?? 0)
            guard let words = event.words(in: home) else { continue }
            add(words.sentence, place: words.place, path: words.path)
        }
    }
}
