// The limits of the activity. HomeModel's Limits.swift bounds its entries and replies.

extension ActivityLog {
    /// The number of entries and changes at which they are stored before the next scheduled write.
    ///
    /// If the store fails or is busy, up to twice as many wait, and older entries are dropped.
    static let maximumPending = 4_000
    /// The maximum number of changes in a period that an accessory reports by itself.
    ///
    /// More changes aren't recorded. A sensor that changes each second therefore stores less than 20 MB in 30 days.
    static let changesInPeriod = 60
    /// The period of ``changesInPeriod``.
    static let period = Duration.seconds(600)
    /// The longest time by which the IDs of new entries may be ahead of the clock.
    ///
    /// After a small step back, for example by a time server, entries remain in order. After a larger step back, the
    /// clock was wrong before, and the IDs follow the clock again.
    static let maximumLead = Duration.seconds(24 * 3600)
    /// The longest pause between changes of one call or run.
    ///
    /// Failed writes of automations are retried for a minute.
    static let actInterval = Duration.seconds(90)
    /// The longest pause between reported changes that belong together.
    static let reportInterval = Duration.seconds(2)
    /// The longest pause between steps of a gradual change.
    static let gradualInterval = Duration.seconds(10)
}
