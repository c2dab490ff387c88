package import HomeModel

/// One line of the activity: a cause with its effects, or repeated changes of a sensor.
package struct ActivityLine: Sendable, Hashable {
    /// A change within a line.
    package struct Detail: Sendable, Hashable {
        /// The time; `nil` if it's the time of the line.
        package var time: Timestamp?
        package var text: String
        package var accessory: Accessory.ID?
        /// A Boolean value that indicates whether the change failed.
        package var isProblem = false
    }

    /// The ID of the oldest entry, which remains when more changes of a sensor follow.
    package var id: ActivityEntry.ID
    /// The ID of the newest entry.
    package var latest: ActivityEntry.ID
    /// The time of the newest entry.
    package var time: Timestamp
    /// The cause and its effect in one sentence, such as `Evening: turned off 5 lights`.
    package var text: String
    /// The person or the app that requested the change; `nil` if it wasn't requested.
    package var requester: String?
    /// The changes; empty if ``text`` contains the only change.
    package var details: [Detail] = []
    /// A Boolean value that indicates whether a change failed.
    package var isProblem = false
    /// The only changed accessory; `nil` for several accessories or none.
    package var accessory: Accessory.ID?
    /// The cause.
    package var cause: ActivityCause
}

/// The lines of one day.
package struct ActivityDay: Sendable, Hashable {
    package var date: CivilDate
    /// The date in words, such as `Today` or `Monday, November 23`.
    package var name: String
    /// The lines, newest first.
    package var lines: [ActivityLine]
}
