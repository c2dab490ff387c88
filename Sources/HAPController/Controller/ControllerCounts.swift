internal import Synchronization

/// Counts the traffic of a controller.
package final class ControllerCounts: Sendable {
    private let state = Mutex(ControllerStatistics())

    package init() {}

    var statistics: ControllerStatistics { state.withLock { $0 } }

    func count(_ count: any WritableKeyPath<ControllerStatistics, UInt64> & Sendable) {
        state.withLock { $0[keyPath: count] += 1 }
    }
}
