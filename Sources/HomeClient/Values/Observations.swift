import AsyncKit

/// Which values this app wants to be told of, and which it is told of.
///
/// A value is wanted as long as it was switched on, or somebody iterates over it. What is wanted outlives a connection
/// and the times in which an accessory cannot be reached.
struct Observations {
    typealias Reports = BoundedMailbox<Result<CharacteristicValue, HomeError>>

    private var switchedOn: Set<Characteristic.ID> = []
    private(set) var readers: [Characteristic.ID: [UInt64: Reports]] = [:]
    private var lastNumber: UInt64 = 0
    /// What the daemon tells this session.
    private(set) var active: Set<Characteristic.ID> = []

    var wanted: Set<Characteristic.ID> { switchedOn.union(readers.keys) }

    func isWanted(_ id: Characteristic.ID) -> Bool { switchedOn.contains(id) || readers[id] != nil }

    // MARK: Wanting

    mutating func switched(_ isOn: Bool, _ id: Characteristic.ID) {
        if isOn { switchedOn.insert(id) } else { switchedOn.remove(id) }
    }

    mutating func add(_ reports: Reports, of id: Characteristic.ID) -> UInt64 {
        lastNumber += 1
        readers[id, default: [:]][lastNumber] = reports
        return lastNumber
    }

    mutating func remove(_ number: UInt64, of id: Characteristic.ID) {
        readers[id]?[number] = nil
        if readers[id]?.isEmpty == true { readers[id] = nil }
    }

    // MARK: Being told

    mutating func activated(_ isActive: Bool, _ id: Characteristic.ID) {
        if isActive { active.insert(id) } else { active.remove(id) }
    }

    func heard(_ value: CharacteristicValue, of id: Characteristic.ID) {
        for reports in (readers[id] ?? [:]).values { reports.post(.success(value), summary: .success(value)) }
    }

    /// The accessory does not report the value.
    mutating func refused(_ id: Characteristic.ID, _ error: HomeError) {
        switchedOn.remove(id)
        for reports in (readers.removeValue(forKey: id) ?? [:]).values {
            reports.post(.failure(error), summary: .failure(error))
            reports.finish()
        }
    }

    mutating func connectionLost() { active = [] }

    /// Drops what is not there any more.
    mutating func forget(where isGone: (Characteristic.ID) -> Bool) {
        for id in wanted.union(active).filter(isGone) {
            switchedOn.remove(id)
            active.remove(id)
            for reports in (readers.removeValue(forKey: id) ?? [:]).values { reports.finish() }
        }
    }

    /// Nothing is told to this app any more.
    mutating func fail(_ error: HomeError) {
        for reports in readers.values.flatMap(\.values) {
            reports.clear()
            reports.post(.failure(error), summary: .failure(error))
            reports.finish()
        }
        finish()
    }

    /// It is all over.
    mutating func finish() {
        for reports in readers.values.flatMap(\.values) { reports.finish() }
        readers = [:]
        switchedOn = []
        active = []
    }
}
