/// The version of daemon and command, which belong together.
package enum Version {
    package static let current = "0.1.0"

    /// The beginning of the year this version was made in, 2026, which no clock can be before; seconds since 1970.
    package static let released = 1_767_225_600
}
