/// The policy for runs that were due while the hub wasn't running.
@nonexhaustive
public enum MissedRunPolicy: Codable, Sendable, Hashable {
    /// The run is skipped.
    case skip
    /// The run takes place if it's late by at most the given duration; otherwise, it's skipped.
    case runWithin(Duration)

    /// Runs that are late by up to five minutes take place.
    public static let `default` = MissedRunPolicy.runWithin(.seconds(300))
}
