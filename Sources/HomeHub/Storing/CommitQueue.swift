import AsyncKit
import HomeModel

/// The queue of changes to store, one at a time.
///
/// Each change is planned after the previous change was stored and applied.
///
/// An app's request takes its place synchronously, so that changes are stored in the order of requests. The number of
/// waiting changes and the time that an app's change waits for a blocked disk are limited. A change that times out has
/// no effect. A write that the store has begun is never canceled.
final class CommitQueue {
    /// A place in the queue, until ``leave(_:)``.
    struct Place {
        fileprivate let number: UInt64
        fileprivate let signal = AsyncSignal()
    }

    private let limit: Int
    /// The occupied places, in order.
    ///
    /// The change at the first place is being stored.
    private var places: [Place] = []
    private var lastNumber: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    /// The number of changes, including the one that is being stored.
    var count: Int { places.count }

    /// Takes the last place.
    ///
    /// - Parameter isBounded: Whether the limit applies. It doesn't apply to changes caused by accessories, because
    ///   each accessory has at most a few changes in the queue.
    /// - Returns: The place. The caller must leave it.
    /// - Throws: `HomeError` with code 49 if too many changes wait.
    func enter(isBounded: Bool = true) throws(HomeError) -> Place {
        guard !isBounded || places.count < limit else {
            throw HomeError(
                .maximumObjectLimitReached,
                detail: "nothing was changed: too many changes are waiting to be stored; try again later")
        }
        lastNumber += 1
        let place = Place(number: lastNumber)
        places.append(place)
        return place
    }

    /// Waits until a place is the first one; leaves the place if this throws an error.
    ///
    /// - Throws: `HomeError` with code 8 when the deadline has passed, 1002 when the hub ends.
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

    /// Leaves a place; if it was the first, resumes the change at the next place.
    func leave(_ place: Place) {
        places.removeAll { $0.number == place.number }
        places.first?.signal.send()
    }
}

extension HomeError {
    /// The disk was busy with earlier writes for too long.
    static let storeIsBusy = HomeError(
        .operationTimedOut,
        detail: "nothing was changed: the disk of homehubd is busy with earlier changes; try again later")
}
