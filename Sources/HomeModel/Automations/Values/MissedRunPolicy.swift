/// The treatment of a time that has passed while the hub wasn't running.
@nonexhaustive
public enum MissedRunPolicy: Codable, Sendable, Hashable {
    /// The run is skipped.
    case skip
    /// The run takes place if it's late by at most this duration; otherwise, it's skipped.
    case runWithin(Duration)

    /// Runs that are late by up to five minutes take place.
    public static let `default` = MissedRunPolicy.runWithin(.seconds(300))
}
