package import Foundation
package import GRDB

/// An error about invalid contents of a database.
package struct DamagedDatabase: Error, Equatable, CustomStringConvertible {
    /// The problem, without the stored value.
    package let description: String

    package init(description: String) { self.description = description }
}

/// Bytes to be stored in SQLite, or read from it.
package struct Blob {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ data: Data) { bytes = Array(data) }

    /// The bytes in the type that GRDB uses.
    package var data: Data { Data(bytes) }
}

/// Checked access to columns, because SQLite allows any kind of value in any column, and GRDB's own subscripts trap on
/// a wrong kind.
extension Row {
    package func damaged(_ column: String) -> DamagedDatabase {
        // Don't include the stored value, which may be a secret.
        DamagedDatabase(description: "the column \(column) can't be read")
    }

    /// Returns `value`, which was read from a column; throws an error if it is `nil`.
    package func read<Value>(_ column: String, _ value: Value?) throws(DamagedDatabase) -> Value {
        guard let value else { throw damaged(column) }
        return value
    }

    package func isNull(_ column: String) throws(DamagedDatabase) -> Bool {
        if case .null = try stored(column) { true } else { false }
    }

    /// Returns an integer within limits.
    package func number(_ column: String, in range: ClosedRange<Int64>) throws(DamagedDatabase) -> Int64 {
        guard case .int64(let number) = try stored(column), range.contains(number) else { throw damaged(column) }
        return number
    }

    /// Returns the number in a column with real affinity, which must not be NULL.
    package func real(_ column: String) throws(DamagedDatabase) -> Double {
        guard case .double(let number) = try stored(column) else { throw damaged(column) }
        return number
    }

    /// Returns whether a number is 1; it must be 0 or 1.
    package func flag(_ column: String) throws(DamagedDatabase) -> Bool { try number(column, in: 0...1) == 1 }

    /// Returns the text of a column, which must not be NULL.
    package func text(_ column: String) throws(DamagedDatabase) -> String {
        guard case .string(let text) = try stored(column) else { throw damaged(column) }
        return text
    }

    package func optionalText(_ column: String) throws(DamagedDatabase) -> String? {
        try isNull(column) ? nil : text(column)
    }

    package func blob(_ column: String) throws(DamagedDatabase) -> [UInt8] {
        guard case .blob(let data) = try stored(column) else { throw damaged(column) }
        return Array(data)
    }

    private func stored(_ column: String) throws(DamagedDatabase) -> DatabaseValue.Storage {
        guard hasColumn(column) else { throw damaged(column) }
        return (self[column] as DatabaseValue).storage
    }
}
