// The limits of homes and of input from apps and devices. HomeHub's Limits.swift bounds the messages waiting for an
// app, and LineRPC's LineLimits.swift bounds the lines of its connection.

/// The maximum numbers of objects: far more than a household needs, and few enough to iterate over all of them cheaply.
///
/// Each additional object is rejected with error 49.
package enum HomeLimits {
    package static let homes = 64
    package static let roomsInHome = 512
    package static let zonesInHome = 256
    /// The maximum number of accessories in a home: a dozen full bridges.
    package static let accessoriesInHome = 2048
    package static let actionSetsInHome = 512
    package static let actionsInActionSet = 512
    package static let serviceGroupsInHome = 512
    package static let servicesInServiceGroup = 512
    package static let triggersInHome = 200
    package static let peopleInHome = 64
}

extension HistoryRequest {
    /// The maximum number of entries in a reply, small enough for one line.
    package static let maximumCount = 2000
}

extension ActivityRequest {
    /// The maximum number of entries in a reply.
    package static let maximumCount = 100
}

extension ActivityEntry {
    /// The maximum number of changes in an entry.
    ///
    /// Further changes of the same cause aren't recorded.
    package static let maximumChanges = 100
}

extension ActivityCause {
    /// The maximum length of the name of an app's user, in Unicode scalars.
    package static let longestPerson = 64
}

extension NameRules {
    /// The maximum length of a name, in characters.
    public static let maximumLength = 64
    /// The maximum length of a composed name, in bytes of UTF-8.
    public static let maximumBytes = 256
}

extension CleanName {
    /// The maximum number of Unicode scalars to process: eight times the maximum length of a name.
    static let maximumScalars = 512
}

extension String {
    /// The maximum length of a device's string that a home stores, in bytes: HAP's maximum.
    static let longestFromDevice = 256
}

extension SessionOpening {
    /// The maximum length of an app ID, in bytes.
    package static let longestApp = 128
    /// The maximum length of a stored usage description, in characters.
    package static let longestUsageDescription = 200
}

extension AccessoryBatch {
    /// The maximum number of accessories in a batch, small enough that a batch fits into a line with all services.
    package static let size = 32
}
