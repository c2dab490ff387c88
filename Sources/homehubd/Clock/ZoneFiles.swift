import Glibc
import HomeModel
import SystemKit

/// Reads the rules of time zones from the system's files.
enum ZoneFiles {
    /// Returns the rules of a time zone, such as `Europe/Berlin`, or of the system's for `nil`.
    ///
    /// - Returns: `nil` if there is no valid file. A system without a time zone uses UTC.
    static func rules(of name: String?) -> TimeZoneRules? {
        guard let name = name ?? environmentName else {
            return rules(inFile: "/etc/localtime") ?? (access("/etc/localtime", F_OK) == 0 ? nil : .utc)
        }
        // A valid name can't leave the directory.
        guard HomeLocation.isTimeZoneName(name) else { return nil }
        return rules(inFile: "/usr/share/zoneinfo/" + name)
    }

    /// The name in the variable `TZ`, which takes precedence over the system's setting.
    private static var environmentName: String? {
        guard let value = getenv("TZ") else { return nil }
        let name = String(cString: value)
        return HomeLocation.isTimeZoneName(name) ? name : nil
    }

    private static func rules(inFile path: String) -> TimeZoneRules? {
        // A device or a pipe with this name must not block the reader.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let bytes = try? OpenFile(file).read(limit: TriggerLimits.timeZoneFile)
        else { return nil }
        return TimeZoneRules(file: bytes)
    }
}
