import AsyncKit

/// The app's observations of values, and the readers in the app.
struct Observations {
    typealias Reports = BoundedMailbox<Result<ObservedValue, HomeError>>

    private struct Readers {
        var mailboxes: [UInt64: Reports] = [:]
        /// The last value that all readers received.
        var known: ObservedValue?
    }

    /// The desired and the confirmed values.
    var reconciler = ObservationReconciler()
    private var readers: [Characteristic.ID: Readers] = [:]
    private var lastNumber: UInt64 = 0

    /// Returns the number of readers of a value.
    func readerCount(of id: Characteristic.ID) -> Int { readers[id]?.mailboxes.count ?? 0 }

    // MARK: Iterations

    /// Begins an iteration over a value.
    ///
    /// The iteration receives the current value first, if it's known.
    ///
    /// - Returns: The iteration's number, and whether to send a request to the daemon.
    mutating func add(
        _ reports: Reports, of id: Characteristic.ID, present: ObservedValue?
    ) -> (number: UInt64, isDue: Bool) {
        lastNumber += 1
        var those = readers[id] ?? Readers(known: present)
        if let known = those.known {
            let value = ObservedValue(value: known.value, time: known.time, origin: .present)
            reports.post(.success(value), summary: .success(value))
        }
        those.mailboxes[lastNumber] = reports
        readers[id] = those
        return (lastNumber, reconciler.iterationBegan(id))
    }

    /// Ends an iteration.
    mutating func remove(_ number: UInt64, of id: Characteristic.ID) {
        guard readers[id]?.mailboxes.removeValue(forKey: number) != nil else { return }
        if readers[id]?.mailboxes.isEmpty == true { readers[id] = nil }
        reconciler.iterationEnded(id)
    }

    // MARK: Observations

    /// Adds an observation of a scope.
    ///
    /// - Returns: The observation's number.
    mutating func add(_ scope: ObservationScope) -> UInt64 {
        lastNumber += 1
        reconciler.observationBegan(lastNumber, of: scope)
        return lastNumber
    }

    // MARK: Values

    /// Delivers a new value or a button press to its readers.
    mutating func received(_ value: ObservedValue, of id: Characteristic.ID, isOccurrence: Bool = false) {
        guard var those = readers.removeValue(forKey: id) else { return }
        defer { readers[id] = those }
        guard isOccurrence || those.known?.value != value.value else { return }
        if !isOccurrence { those.known = value }
        for reports in those.mailboxes.values { reports.post(.success(value), summary: .success(value)) }
    }

    /// Delivers values that differ in a new copy of the homes.
    mutating func homesChanged(_ graph: HomeGraph) {
        for id in readers.keys {
            guard let value = graph.characteristic(id)?.present else { continue }
            received(value, of: id)
        }
    }

    /// Ends the iterations over a value that the accessory doesn't report.
    mutating func refused(_ id: Characteristic.ID, _ error: HomeError) {
        reconciler.forget(id)
        for reports in (readers.removeValue(forKey: id)?.mailboxes ?? [:]).values {
            reports.post(.failure(error), summary: .failure(error))
            reports.finish()
        }
    }

    /// Drops removed characteristics.
    mutating func forget(where isGone: (Characteristic.ID) -> Bool) {
        for id in reconciler.desired.union(reconciler.confirmed).filter(isGone) {
            reconciler.forget(id)
            for reports in (readers.removeValue(forKey: id)?.mailboxes ?? [:]).values { reports.finish() }
        }
    }

    /// Fails all iterations after the app lost its permission.
    ///
    /// Observations of scopes resume when the app regains its permission.
    mutating func fail(_ error: HomeError) {
        for reports in readers.values.flatMap(\.mailboxes.values) {
            reports.clear()
            reports.post(.failure(error), summary: .failure(error))
        }
        finish()
    }

    /// Ends all iterations.
    mutating func finish() {
        for reports in readers.values.flatMap(\.mailboxes.values) { reports.finish() }
        readers = [:]
        reconciler.emptied()
    }
}

extension Characteristic {
    /// The current value; `nil` for a button, which has only presses.
    var present: ObservedValue? {
        guard !type.isMomentary, let value else { return nil }
        return ObservedValue(value: value, time: valueTime ?? Timestamp(millisecondsSince1970: 0), origin: .present)
    }
}
