import HAPModel
import HomeClient
import HomeModel
import Synchronization

/// Tracks which values without notifications have been read, to avoid duplicate reads and to mark stale values.
///
/// Values with enabled notifications are current. The others are read once while a visitor views them.
final class Freshness: Sendable {
    private struct Contents {
        /// The number of viewers of each value.
        var watched: [Characteristic.ID: Int] = [:]
        /// The values that were read while they had viewers.
        var read: Set<Characteristic.ID> = []
        /// The running reads.
        var reading: [Characteristic.ID: Task<Void, Never>] = [:]
    }

    private let manager: HomeManager
    private let contents = Mutex(Contents())

    init(_ manager: HomeManager) { self.manager = manager }

    var current: Set<Characteristic.ID> { contents.withLock { $0.read } }

    /// Updates the numbers of viewers when a page shows other values.
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

    /// Marks values as stale, because their accessory was unreachable.
    func forget(_ ids: some Sequence<Characteristic.ID>) { contents.withLock { $0.read.subtract(ids) } }

    /// Reads the values that haven't been read yet, and waits for reads that are running.
    ///
    /// - Parameter ids: The values to show. They must be readable and have viewers.
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
                // A value that can't be read, or that lost its viewers in the meantime, keeps its last state and is
                // shown as stale.
                if case .success = results?[id], contents.watched[id] != nil { contents.read.insert(id) }
            }
        }
    }
}
