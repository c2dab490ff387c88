// What homes hold, and what apps and devices may say, at most, in one place. What waits for an app is bounded in HomeHub's
// Limits.swift, the lines of its connection in LineRPC's LineLimits.swift.

/// How many objects there may be: far more than a household has, and few enough that a walk along all of them is cheap.
///
/// One more is refused with 49.
package enum HomeLimits {
    package static let homes = 64
    package static let roomsInHome = 512
    package static let zonesInHome = 256
    /// Accessories of one home: a dozen full bridges.
    package static let accessoriesInHome = 2048
    package static let actionSetsInHome = 512
    package static let actionsInActionSet = 512
    package static let serviceGroupsInHome = 512
    package static let servicesInServiceGroup = 512
}

extension NameRules {
    /// The longest name, in characters as people count them.
    public static let maximumLength = 64
    /// The longest name, in bytes of UTF-8 once it is composed.
    public static let maximumBytes = 256
}

extension CleanName {
    /// How much of a text is looked at, in Unicode scalars: eight times what a name may hold.
    static let maximumScalars = 512
}

extension String {
    /// The longest text of a device that a home keeps, in bytes: the longest that HAP allows.
    static let longestFromDevice = 256
}

extension SessionOpening {
    /// The longest id of an app, in bytes.
    package static let longestApp = 128
    /// The longest purpose that is kept, in characters.
    package static let longestUsageDescription = 200
}

extension AccessoryBatch {
    /// How many accessories travel at once: with all their services they fit into a line.
    package static let size = 32
}
