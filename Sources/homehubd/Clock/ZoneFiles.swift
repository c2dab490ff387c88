import Glibc
import HomeModel
import SystemKit

/// Reads the rules of time zones from the system's files.
enum ZoneFiles {
    /// Returns the rules of a time zone, such as `Europe/Berlin`, or of the system's time zone for `nil`.
    ///
    /// - Returns: `nil` if there is no valid file. A system without a time zone uses UTC.
    static func rules(of name: String?) -> TimeZoneRules? {
        // A valid name can't refer to a file outside the directory.
        if let name, !HomeLocation.isTimeZoneName(name) { return nil }
        if let bytes = ZoneFile.bytes(of: name) { return TimeZoneRules(file: bytes) }
        return name == nil && access("/etc/localtime", F_OK) != 0 ? .utc : nil
    }

    /// Returns the name of the system's time zone; `nil` if it's unknown.
    static func systemName() -> String? {
        guard let name = ZoneFile.systemName() else { return access("/etc/localtime", F_OK) == 0 ? nil : "UTC" }
        return HomeLocation.isTimeZoneName(name) ? name : nil
    }
}
