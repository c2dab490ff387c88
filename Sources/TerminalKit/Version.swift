import CVersion

/// The version of daemons and commands, which belong together.
package enum Version {
    /// The version in Debian's form: `0.2.0`, or `0.2.0~git20261126092733.b7782ea` for a build between releases.
    package static let current = String(cString: lamplighter_version())

    /// The part of ``current`` in digits: `0.2.0`.
    package static let number = String(current.prefix { $0 != "~" })

    /// The beginning of the year this version was made in, 2026, which no clock can be before; seconds since 1970.
    package static let released = 1_767_225_600
}
