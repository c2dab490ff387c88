/// A clock that uses the instants of `ContinuousClock`, and is independent of changes to the wall clock.
///
/// Tests use a clock whose time they advance.
package protocol MonotonicClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: MonotonicClock {}
