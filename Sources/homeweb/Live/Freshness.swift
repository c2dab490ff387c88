import HAPModel
import HomeClient
import HomeModel

/// Which values are as their accessories say, so that nothing is asked for twice and nothing old is shown as new.
///
/// What is looked at is asked for once and reported from then on; it stays true as long as somebody looks, and a little
/// longer, so that whoever goes from one page to the next asks for nothing again (R4 of the home model).
actor Freshness {
    /// How long a value that was read counts as read without anybody looking.
    static let linger = Duration.seconds(10)

    private let manager: HomeManager
    private let clock = ContinuousClock()
    /// How many look at a value.
    private var watched: [Characteristic.ID: Int] = [:]
    /// When a value was read, or somebody looked last.
    private var read: [Characteristic.ID: ContinuousClock.Instant] = [:]
    /// Reads under way.
    private var reading: [Characteristic.ID: Task<Void, Never>] = [:]

    init(_ manager: HomeManager) { self.manager = manager }

    /// What counts as read.
    func current() -> Set<Characteristic.ID> {
        forgetOld()
        return Set(read.keys)
    }

    /// Somebody looks at these, and they are reported from now on.
    func watch(_ ids: Set<Characteristic.ID>) { for id in ids { watched[id, default: 0] += 1 } }

    /// Somebody looks at these no more.
    func unwatch(_ ids: Set<Characteristic.ID>) {
        for id in ids {
            let count = (watched[id] ?? 1) - 1
            watched[id] = count > 0 ? count : nil
            if count <= 0, read[id] != nil { read[id] = clock.now }
        }
    }

    /// An accessory was away, so what was read of it is old.
    func forget(_ ids: some Sequence<Characteristic.ID>) { for id in ids { read[id] = nil } }

    /// Asks for what was not asked for yet; what is being asked for is waited for.
    ///
    /// - Parameter ids: what is to be shown; it has to be readable.
    func read(_ ids: Set<Characteristic.ID>) async {
        forgetOld()
        let due = ids.filter { read[$0] == nil && reading[$0] == nil }
        let others = Set(ids.compactMap { reading[$0] })
        if !due.isEmpty {
            let task = Task { await ask(due) }
            for id in due { reading[id] = task }
            await task.value
        }
        for other in others { await other.value }
    }

    private func ask(_ ids: Set<Characteristic.ID>) async {
        let results = try? await manager.readValues(of: ids.sorted())
        let now = clock.now
        for id in ids {
            reading[id] = nil
            // What cannot be read stays as it was known, and is shown as old.
            if case .success = results?[id] { read[id] = now }
        }
    }

    private func forgetOld() {
        let limit = clock.now - Self.linger
        read = read.filter { watched[$0.key] != nil || $0.value > limit }
    }
}
