/// The clock of an executor: tells the time and calls back at a time, always on that executor.
package protocol Scheduler: Sendable {
    /// Now, on a clock that no change of the wall clock moves.
    var now: ContinuousClock.Instant { get }

    /// Calls `body` on the executor at a time, or as soon as possible if it has passed.
    func schedule(at time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void)
}
