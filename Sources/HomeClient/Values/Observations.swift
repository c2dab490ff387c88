import AsyncKit

/// What this app is notified of values: what it wants to be notified, and who in the app reads it.
struct Observations {
    typealias Reports = BoundedMailbox<Result<CharacteristicValue, HomeError>>

    /// What is desired, and what the daemon has confirmed of it.
    var reconciler = ObservationReconciler()
    private(set) var readers: [Characteristic.ID: [UInt64: Reports]] = [:]
    private var lastNumber: UInt64 = 0

    // MARK: Iterations

    /// Somebody in the app begins to iterate over a value.
    ///
    /// - Returns: the iteration's number, and whether the daemon is to be asked.
    mutating func add(_ reports: Reports, of id: Characteristic.ID) -> (number: UInt64, isDue: Bool) {
        lastNumber += 1
        readers[id, default: [:]][lastNumber] = reports
        return (lastNumber, reconciler.iterationBegan(id))
    }

    /// An iteration is over.
    ///
    /// - Returns: whether the daemon is to tell the value no more.
    mutating func remove(_ number: UInt64, of id: Characteristic.ID) -> Bool {
        guard readers[id]?.removeValue(forKey: number) != nil else { return false }
        if readers[id]?.isEmpty == true { readers[id] = nil }
        return reconciler.iterationEnded(id)
    }

    // MARK: Being told

    func received(_ value: CharacteristicValue, of id: Characteristic.ID) {
        for reports in (readers[id] ?? [:]).values { reports.post(.success(value), summary: .success(value)) }
    }

    /// The accessory does not report the value.
    mutating func refused(_ id: Characteristic.ID, _ error: HomeError) {
        reconciler.forget(id)
        for reports in (readers.removeValue(forKey: id) ?? [:]).values {
            reports.post(.failure(error), summary: .failure(error))
            reports.finish()
        }
    }

    /// Drops what is not there any more.
    mutating func forget(where isGone: (Characteristic.ID) -> Bool) {
        for id in reconciler.desired.union(reconciler.confirmed).filter(isGone) {
            reconciler.forget(id)
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
        reconciler = ObservationReconciler()
    }
}
