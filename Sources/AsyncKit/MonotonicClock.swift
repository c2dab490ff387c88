/// A clock with the times of `ContinuousClock`, which is independent of changes to the wall clock.
///
/// Tests use one that they advance.
package protocol MonotonicClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: MonotonicClock {}
