import HAPModel
import HomeClient
import HomeModel
import Synchronization

/// Which of the values that are not reported were asked for, so that nothing is asked for twice and nothing old is shown as new.
///
/// What an accessory reports is as it says as long as it is reported; the rest is asked for once while somebody looks at it.
final class Freshness: Sendable {
    private struct Contents {
        /// How many look at a value.
        var watched: [Characteristic.ID: Int] = [:]
        /// What was read since somebody looks at it.
        var read: Set<Characteristic.ID> = []
        /// Reads under way.
        var reading: [Characteristic.ID: Task<Void, Never>] = [:]
    }

    private let manager: HomeManager
    private let contents = Mutex(Contents())

    init(_ manager: HomeManager) { self.manager = manager }

    var current: Set<Characteristic.ID> { contents.withLock { $0.read } }

    /// Somebody looks at some values, and no more at others.
    func watch(_ new: Set<Characteristic.ID>, insteadOf old: Set<Characteristic.ID>) {
        contents.withLock { contents in
            for id in new.subtracting(old) { contents.watched[id, default: 0] += 1 }
            for id in old.subtracting(new) {
                let count = (contents.watched[id] ?? 0) - 1
                contents.watched[id] = count > 0 ? count : nil
                if count <= 0 { contents.read.remove(id) }
            }
        }
    }

    /// An accessory was away, so what was read of it is old.
    func forget(_ ids: some Sequence<Characteristic.ID>) { contents.withLock { $0.read.subtract(ids) } }

    /// Asks for values that were not asked for yet, and waits for the others; all are readable, watched, and reported.
    func read(_ ids: Set<Characteristic.ID>) async {
        let tasks = contents.withLock { contents in
            let due = ids.filter { !contents.read.contains($0) && contents.reading[$0] == nil }
            var tasks = Set(ids.compactMap { contents.reading[$0] })
            if !due.isEmpty {
                let task = Task { await ask(due) }
                for id in due { contents.reading[id] = task }
                tasks.insert(task)
            }
            return tasks
        }
        for task in tasks { await task.value }
    }

    private func ask(_ ids: Set<Characteristic.ID>) async {
        let results = try? await manager.readValues(of: ids.sorted())
        contents.withLock { contents in
            for id in ids {
                contents.reading[id] = nil
                // What cannot be read stays as it was known, and is shown as old; so is what no reader looks at any more.
                if case .success = results?[id], contents.watched[id] != nil { contents.read.insert(id) }
            }
        }
    }
}
