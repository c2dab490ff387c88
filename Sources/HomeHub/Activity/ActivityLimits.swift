// The limits of the activity. HomeModel's Limits.swift bounds its entries and replies.

extension ActivityLog {
    /// The number of entries at which they are stored before the next scheduled write.
    ///
    /// If the store fails or is busy, up to twice as many wait, and older entries are dropped.
    static let maximumPending = 2_000
    /// The maximum number of changes in a minute that an accessory reports by itself.
    ///
    /// More changes aren't recorded.
    static let changesInMinute = 30
    /// The longest pause between changes of one call or run.
    ///
    /// Failed writes of automations are retried for a minute.
    static let actInterval = Duration.seconds(90)
    /// The longest pause between reported changes that belong together.
    static let reportInterval = Duration.seconds(2)
    /// The longest pause between steps of a gradual change.
    static let gradualInterval = Duration.seconds(10)
}
