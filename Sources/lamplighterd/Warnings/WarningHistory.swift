import BridgeControl
import FoundationEssentials

/// The log of warnings since the start of the daemon, in memory.
actor WarningHistory {
    private let since = Date.now.formatted(.iso8601)
    private var log = WarningLog()

    /// Records the current warnings.
    func record(_ warnings: [BridgeWarning]) { log.record(warnings, at: Date.now.formatted(.iso8601)) }

    var listing: WarningListing { WarningListing(since: since, records: log.records) }
}
