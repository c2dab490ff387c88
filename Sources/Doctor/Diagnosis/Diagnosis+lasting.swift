/// A check whether multicast still works after switches have forgotten the listeners.
extension Diagnosis {
    /// The time after which a switch with IGMP snooping has forgotten a listener: 125 s and a margin, unless a querier
    /// renews it (RFC 4541).
    package static let snoopingTime = Duration.seconds(130)

    /// Compares facts that were collected ``snoopingTime`` apart.
    package static func lasting(_ facts: Facts, _ later: Facts) -> CheckResult {
        if let cause = findings(facts).verdict {
            return .unknown(.lasting, "skipped because of \(cause.check.rawValue)")
        }
        if let cause = findings(later).verdict {
            return .wrong(
                .lasting, "two minutes later \(cause.check.rawValue) was wrong: \(cause.message)", cause.remedy)
        }
        let (before, after) = (facts.neighbours.count, later.neighbours.count)
        if before > 0, after == 0 {
            return .wrong(
                .lasting,
                "other hosts answered at first and none after two minutes: a switch or access point stops passing "
                    + "multicast (IGMP snooping without a querier)",
                "turn IGMP snooping off or an IGMP querier on; on Wi-Fi turn off multicast filters and client isolation"
            )
        }
        if before == 0 {
            return .unknown(
                .lasting, "the record is still seen here, but no other host answered, so the way to others is not known"
            )
        }
        return .ok(.lasting, "seen now and after two minutes; \(after) of \(before) other hosts still answer")
    }
}
