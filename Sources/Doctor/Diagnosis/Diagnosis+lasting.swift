/// The check of `--long`: whether multicast still works after switches have forgotten their listeners.
extension Diagnosis {
    /// The time after which a switch with IGMP snooping has forgotten a listener that no querier renews: 125 s plus a
    /// margin (RFC 4541).
    package static let snoopingTime = Duration.seconds(130)

    /// Compares facts that were collected ``snoopingTime`` apart.
    package static func lasting(_ facts: Facts, _ later: Facts) -> CheckResult {
        if let cause = findings(facts).verdict {
            return .unknown(.lasting, "skipped because the check “\(cause.check.rawValue)” failed")
        }
        if let cause = findings(later).verdict {
            return .wrong(
                .lasting, "after two minutes, \(cause.check.rawValue) failed: \(cause.message)", cause.remedy)
        }
        let (before, after) = (facts.neighbours.count, later.neighbours.count)
        if before > 0, after == 0 {
            return .wrong(
                .lasting,
                "other hosts answered at first, but none after two minutes: a switch or access point stopped "
                    + "forwarding multicast (IGMP snooping without a querier)",
                "turn off IGMP snooping or turn on an IGMP querier; on Wi-Fi, turn off multicast filters and client "
                    + "isolation"
            )
        }
        if before == 0 {
            return .unknown(
                .lasting,
                "the record is still visible here, but no other host answered, so the network can't be checked"
            )
        }
        return .ok(.lasting, "visible now and after two minutes; \(after) of \(before) other hosts still answer")
    }
}
