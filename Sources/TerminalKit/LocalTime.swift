import Glibc

/// Formats times for human readers, in the computer's time zone.
///
/// Machine-readable output stays in UTC.
package enum LocalTime {
    /// Converts a UTC time in RFC 3339 format, with or without a fraction, to `2026-11-26 10:05:28` in local time.
    ///
    /// Other text is returned unchanged.
    package static func text(of text: String) -> String {
        let numbers = text.split { !$0.isASCII || !$0.isNumber }.prefix(6).compactMap { Int32($0) }
        guard text.hasSuffix("Z"), text.contains("T"), numbers.count == 6 else { return text }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        var time = timegm(&parts)
        localtime_r(&time, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            guard let start = buffer.baseAddress, strftime(start, buffer.count, "%Y-%m-%d %H:%M:%S", &parts) > 0 else {
                return text
            }
            return String(cString: start)
        }
    }
}
