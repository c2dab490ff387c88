import Logging

/// An event in the journal's native format, so that `journalctl LIGHT=home/0x12` finds it (systemd's "Native Journal
/// Protocol").
///
/// Each field is a line `NAME=value`. A multiline value has another format: the name, a line feed, the length as 64
/// bits in little-endian order, the value, and a line feed.
enum JournalEntry {
    /// The maximum total size of the fields other than the message, in bytes, so that an entry always fits into one
    /// datagram.
    ///
    /// A field that would exceed it is omitted and not truncated, because searches would find a truncated value by
    /// mistake.
    static let maximumFields = 8192

    /// The longest field name that the journal accepts.
    private static let maximumName = 64

    /// Field names that the journal reserves.
    private static let reserved: Set<String> = ["MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER"]

    static func bytes(of record: LogRecord) -> [UInt8] {
        var entry: [UInt8] = []
        append("MESSAGE", record.text, to: &entry)
        append("PRIORITY", "\(record.level.priority)", to: &entry)
        append("SYSLOG_IDENTIFIER", record.label, to: &entry)
        let end = entry.count + maximumFields
        for field in record.fields {
            guard let name = name(of: field.name), !reserved.contains(name) else { continue }
            let start = entry.count
            append(name, field.value, to: &entry)
            if entry.count > end { entry.removeSubrange(start...) }
        }
        return entry
    }

    /// Converts a metadata key to a field name of capital letters, digits and underscores that begins with a letter;
    /// `nil` if that isn't possible.
    static func name(of key: String) -> String? {
        let name = key.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z": Character(Unicode.Scalar(UInt8(scalar.value) - 0x20))
            case "A"..."Z", "0"..."9": Character(scalar)
            default: "_"
            }
        }
        guard let first = name.first, first.isLetter, name.count <= maximumName else { return nil }
        return String(name)
    }

    private static func append(_ name: String, _ value: String, to entry: inout [UInt8]) {
        entry += name.utf8
        if value.utf8.contains(UInt8(ascii: "\n")) {
            entry.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { entry += $0 }
        } else {
            entry.append(UInt8(ascii: "="))
        }
        entry += value.utf8
        entry.append(UInt8(ascii: "\n"))
    }
}
