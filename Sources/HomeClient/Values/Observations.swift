import AsyncKit

/// What this app is notified of values: what it wants to be notified, and who in the app reads it.
struct Observations {
    typealias Reports = BoundedMailbox<Result<ObservedValue, HomeError>>

    private struct Readers {
        var mailboxes: [UInt64: Reports] = [:]
        /// What all of them were told last.
        var known: ObservedValue?
    }

    /// What is desired, and what the daemon has confirmed of it.
    var reconciler = ObservationReconciler()
    private var readers: [Characteristic.ID: Readers] = [:]
    private var lastNumber: UInt64 = 0

    /// How many in the app read a value.
    func readerCount(of id: Characteristic.ID) -> Int { readers[id]?.mailboxes.count ?? 0 }

    // MARK: Iterations

    /// An iteration over a value begins; it gets the present value first, if that is known.
    ///
    /// - Returns: the iteration's number, and whether the daemon is to be asked.
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

    /// An iteration is over.
    mutating func remove(_ number: UInt64, of id: Characteristic.ID) {
        guard readers[id]?.mailboxes.removeValue(forKey: number) != nil else { return }
        if readers[id]?.mailboxes.isEmpty == true { readers[id] = nil }
        reconciler.iterationEnded(id)
    }

    // MARK: Observations

    /// Somebody in the app wants all of a scope reported.
    ///
    /// - Returns: the observation's number.
    mutating func add(_ scope: ObservationScope) -> UInt64 {
        lastNumber += 1
        reconciler.observationBegan(lastNumber, of: scope)
        return lastNumber
    }

    // MARK: Being told

    /// A value became known, or a button was pressed.
    mutating func received(_ value: ObservedValue, of id: Characteristic.ID, isOccurrence: Bool = false) {
        guard var those = readers.removeValue(forKey: id) else { return }
        defer { readers[id] = those }
        guard isOccurrence || those.known?.value != value.value else { return }
        if !isOccurrence { those.known = value }
        for reports in those.mailboxes.values { reports.post(.success(value), summary: .success(value)) }
    }

    /// The copy of the homes is another one: what is read may be other than what was told.
    mutating func homesChanged(_ graph: HomeGraph) {
        for id in readers.keys {
            guard let value = graph.characteristic(id)?.present else { continue }
            received(value, of: id)
        }
    }

    /// The accessory does not report the value.
    mutating func refused(_ id: Characteristic.ID, _ error: HomeError) {
        reconciler.forget(id)
        for reports in (readers.removeValue(forKey: id)?.mailboxes ?? [:]).values {
            reports.post(.failure(error), summary: .failure(error))
            reports.finish()
        }
    }

    /// Drops what is not there any more.
    mutating func forget(where isGone: (Characteristic.ID) -> Bool) {
        for id in reconciler.desired.union(reconciler.confirmed).filter(isGone) {
            reconciler.forget(id)
            for reports in (readers.removeValue(forKey: id)?.mailboxes ?? [:]).values { reports.finish() }
        }
    }

    /// Nothing is told to this app any more; observations wait until it is allowed again.
    mutating func fail(_ error: HomeError) {
        for reports in readers.values.flatMap(\.mailboxes.values) {
            reports.clear()
            reports.post(.failure(error), summary: .failure(error))
        }
        finish()
    }

    /// It is all over.
    mutating func finish() {
        for reports in readers.values.flatMap(\.mailboxes.values) { reports.finish() }
        readers = [:]
        reconciler.emptied()
    }
}

extension Characteristic {
    /// What holds; nothing of a button, whose last press is over.
    var present: ObservedValue? {
        guard !type.isMomentary, let value else { return nil }
        return ObservedValue(value: value, time: valueTime ?? Timestamp(millisecondsSince1970: 0), origin: .present)
    }
}
