import Logging

/// An event in the journal's own form, so that `journalctl LIGHT=home/0x12` finds it (systemd's "Native Journal
/// Protocol").
///
/// Each field is a line `NAME=value`. A value of several lines has its length before it instead: the name, a line feed, the
/// length as 64 bits in little-endian order, the value, a line feed.
enum JournalEntry {
    /// What the fields beside the message may hold together, in bytes; an entry then always fits into one datagram.
    ///
    /// A field that goes beyond is left out: half a value would be found by mistake.
    static let maximumFields = 8192

    /// The journal's longest name.
    private static let maximumName = 64

    /// Fields that have a meaning of their own to the journal.
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

    /// A metadata key as a field's name: capital letters, digits and underscores, a letter first.
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
