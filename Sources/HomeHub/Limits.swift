// The hub's limits for apps and accessories. HomeModel's Limits.swift has the limits of homes, and LineRPC's
// LineLimits.swift bounds an app's pending requests.

extension HomeHub {
    /// The maximum number of changes by apps that wait for the store.
    ///
    /// Each additional change is rejected with error 49.
    static let changesThatWait = 256
}

extension ValueHistory {
    /// The number of past values at which they are stored before the next scheduled write.
    ///
    /// If the store fails, older values beyond this number are dropped. While it's busy, up to twice as many wait.
    static let maximumPending = 10_000
    /// The shortest time between two past values of a measurement.
    static let measurementInterval = Duration.seconds(10)
}

extension ChangeFeed {
    /// The default maximum number of notifications that wait for a session.
    ///
    /// When it's exceeded, one `homesUpdated` replaces them all.
    package static let defaultLimit = 1024
}

extension Permissions {
    /// The maximum number of pending questions about the apps of one user.
    ///
    /// Questions about these apps' additions and vendors are counted separately, with the same maximum.
    ///
    /// When it's reached, calls that require another question fail with error 49.
    ///
    /// A user who can run a program can declare any number of app IDs.
    package static let questionsOfUser = 16
}

extension DatabaseHistory {
    /// The number of protocol violations, without a valid session in between, after which an accessory is blocked.
    static let maximumViolations = 3
}

extension Pairings {
    /// The maximum number of orphaned pairings while the hub runs.
    ///
    /// A pairing is orphaned if its accessory was off when it was removed, or if its addition failed at the last step,
    /// and if the accessory hasn't been visible since.
    static let maximumOrphans = 32
}
