import HomeClient
import HomeModel
import HomePresentation
import Synchronization
import SystemKit

/// The latest changes since homeweb was started.
///
/// Events of the home are always recorded. Values are recorded only while a visitor views them, because other values
/// aren't observed.
final class History: Sendable {
    struct Entry: Sendable, Hashable {
        let time: Timestamp
        let place: String
        let sentence: String
        /// The person who made the change on the page; empty for other changes.
        let who: String
        let path: String?
    }

    /// The maximum number of entries.
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
            // A lamp that reports each value separately would otherwise add the same entry several times.
            let last = contents.entries.last
            guard last?.sentence != sentence || last?.place != place || last?.who != who else { return [] }
            contents.entries.append(entry)
            if contents.entries.count > Self.limit { contents.entries.removeFirst() }
            return Array(contents.readers.values)
        }
        // Notify readers after unlocking: a reader that ends holds its task's lock while it waits for this lock.
        for reader in readers { reader.yield() }
    }

    /// Reports new entries until the stream is released.
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

    // MARK: Events of the home

    /// Records events until the task is canceled.
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

    /// Records the accessories that became reachable or unreachable while the daemon was unavailable.
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
