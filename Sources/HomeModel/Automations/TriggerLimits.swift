/// The limits of an automation.
package enum TriggerLimits {
    /// The maximum number of events, and of end events.
    package static let events = 10
    /// The maximum number of scenes, values to write, waits and notifications.
    package static let actions = 50
    /// The maximum number of levels of nested conditions.
    package static let conditionDepth = 4
    /// The maximum number of conditions, including combinations of conditions.
    package static let conditions = 50
    /// The shortest interval of a timer, as in HomeKit.
    package static let shortestInterval = Duration.seconds(300)
    /// The longest interval of a timer, as in HomeKit, and the longest duration of events and waits.
    package static let longestInterval = Duration.seconds(5 * 7 * 86_400)
    /// The longest time between now and the first time of a timer.
    package static let longestDelay = Duration.seconds(366 * 86_400)
    /// The longest offset from a sun event, in either direction.
    package static let longestOffset = Duration.seconds(12 * 3600)
    /// The maximum length of a notification, in bytes.
    package static let notificationBytes = 256
    /// The maximum size of a time zone file, in bytes: ten times the size of the largest known file.
    package static let timeZoneFile = 65_536
    /// The maximum number of runs of one trigger in a minute, counted separately for runs by events and by users.
    package static let runsInMinute = 20
    /// The time for which a trigger is paused after too many runs.
    package static let pause = Duration.seconds(600)
    /// The number of records in the history of each automation.
    package static let records = 50
    /// The maximum number of records in an answer about all automations of a home.
    package static let recordsInAnswer = 500
    /// The maximum length of a chain of triggers that fire each other.
    package static let chainDepth = 8
    /// The longest delay of a run that doesn't count as missed, because a busy hub can be late.
    package static let punctuality = Duration.seconds(30)
    /// The time after a write during which other values count as steps of a fade, not as a person's change.
    package static let fade = Duration.seconds(10)
    /// The shortest time between two stored steps of a fade.
    package static let fadeStorage = Duration.seconds(30)
    /// The maximum number of ranges of occurrences of an event that clock changes have skipped.
    package static let skippedRanges = 8
    /// The maximum number of missed occurrences of an event that are counted after an outage.
    package static let missedOccurrences = 1000
    /// The time during which the result of a run's write, or the next step of a fade, is expected.
    ///
    /// It's longer than the minute during which failed actions are retried.
    package static let attribution = Duration.seconds(90)
}
