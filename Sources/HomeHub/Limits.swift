// How much the hub keeps for apps and bears from accessories, in one place. What homes hold at most is in HomeModel's
// Limits.swift, the requests of an app that may wait in LineRPC's LineLimits.swift.

extension HomeHub {
    /// How many changes of apps may wait for the store; one more is refused with 49.
    static let changesThatWait = 256
}

extension ChangeFeed {
    /// How many notifications may wait for a session, unless configured otherwise; one more, and one `homesUpdated` takes the
    /// place of all.
    package static let defaultLimit = 1024
}

extension Permissions {
    /// How many questions about apps of one user may wait, and as many again about what they want to add or answer for; one
    /// more, and the call fails with 49.
    ///
    /// Whoever can run a program can declare any number of ids.
    package static let questionsOfUser = 16
}

extension DatabaseHistory {
    /// How often an accessory may break the rules, without keeping to them once in between, before it is left alone.
    static let maximumViolations = 3
}

extension Pairings {
    /// How many orphaned pairings are kept while the hub runs: of accessories that had no power when they were removed, or
    /// whose addition has failed at the last moment, and which have not been on the network since.
    static let maximumOrphans = 32
}
