import CVersion

/// The version of the daemons and commands, which is the same for all.
package enum Version {
    /// The version in Debian's format: `0.2.0`, or `0.2.0~git20261126092733.b7782ea` for a build between releases.
    package static let current = String(cString: lamplighter_version())

    /// The numeric part of ``current``: `0.2.0`.
    package static let number = String(current.prefix { $0 != "~" })

    /// The beginning of the release year, 2026, in seconds since 1970.
    ///
    /// A clock that shows an earlier time is wrong.
    package static let released = 1_767_225_600
}
