/// The change of the wall clock since a daemon started.
package struct ClockStep: Sendable {
    private let began = (wall: WallClock.now, steady: ContinuousClock.now)

    package init() {}

    /// The number of seconds by which the wall clock was changed; negative if it was set back.
    package var seconds: Int {
        let elapsed = began.steady.duration(to: .now) / .milliseconds(1)
        return Int((Double(WallClock.now - began.wall) - elapsed) / 1000)
    }
}
