/// A warning in the daemon's log.
package struct WarningRecord: BridgeMessage {
    package var code: BridgeWarning.Code
    /// One human-readable sentence.
    package var message: String
    package var subject: BridgeWarning.Subject
    /// The time at which the problem was noticed, in ISO 8601.
    package var since: String
    /// The time at which the problem was no longer there, in ISO 8601, or `nil` while it lasts.
    package var until: String?
    /// The number of times that the problem has occurred.
    package var times: Int

    package init(_ warning: BridgeWarning, since: String, until: String? = nil, times: Int = 1) {
        code = warning.code
        message = warning.message
        subject = warning.subject
        self.since = since
        self.until = until
        self.times = times
    }

    package var warning: BridgeWarning { BridgeWarning(code, message, about: subject) }
}

/// The last warnings of the daemon since it started.
package struct WarningListing: BridgeMessage {
    /// The time at which the daemon started, in ISO 8601.
    package var since: String
    /// The warnings, newest first.
    package var records: [WarningRecord]

    package init(since: String, records: [WarningRecord]) {
        self.since = since
        self.records = records
    }
}
