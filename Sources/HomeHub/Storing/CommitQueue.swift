import AsyncKit
import HomeModel

/// The order in which changes are stored: one at a time, each planned when the one before it is stored and applied.
///
/// A place is taken in the turn in which an app asks, so that changes are stored in the order in which they were asked for.
/// How many wait is bounded, and so is how long an app's change waits for a disk that stands still: it is refused then, and
/// nothing of it has happened. What the store has begun with is never given up.
final class CommitQueue {
    /// A place in the queue, until ``leave(_:)``.
    struct Place {
        fileprivate let number: UInt64
        fileprivate let signal = AsyncSignal()
    }

    private let limit: Int
    /// The first one's change is being stored.
    private var places: [Place] = []
    private var lastNumber: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    /// How many changes wait, with the one that is being stored.
    var count: Int { places.count }

    /// Takes the last place.
    ///
    /// - Parameter isBounded: whether it is refused when too many wait; not for what accessories report, of which each has
    ///   one change at most.
    /// - Returns: the place; whoever has it leaves it.
    /// - Throws: 49 if too many wait.
    func enter(isBounded: Bool = true) throws(HomeError) -> Place {
        guard !isBounded || places.count < limit else {
            throw HomeError(
                .maximumObjectLimitReached,
                detail: "too many changes wait for the disk of homehubd, and nothing has changed; try again later")
        }
        lastNumber += 1
        let place = Place(number: lastNumber)
        places.append(place)
        return place
    }

    /// Waits until a place is the first one; it is left if that fails.
    ///
    /// - Throws: 8 when the deadline has passed, 1002 when the hub ends.
    func wait(at place: Place, until deadline: ContinuousClock.Instant?) async throws(HomeError) {
        while places.first?.number != place.number {
            await place.signal.wait(until: deadline)
            if places.first?.number == place.number { break }
            let isLate = deadline.map { $0 <= .now } ?? false
            guard isLate || Task.isCancelled else { continue }
            leave(place)
            throw Task.isCancelled ? .hubEnds : .storeIsBusy
        }
        guard !Task.isCancelled else {
            leave(place)
            throw .hubEnds
        }
    }

    /// Gives a place up; the next one's turn has come if it was the first.
    func leave(_ place: Place) {
        places.removeAll { $0.number == place.number }
        places.first?.signal.send()
    }
}

extension HomeError {
    /// The disk was busy with earlier writes for too long.
    static let storeIsBusy = HomeError(
        .operationTimedOut,
        detail: "the disk of homehubd is busy with earlier changes, and nothing has changed; try again later")
}
