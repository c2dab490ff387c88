package import Foundation
package import GRDB

/// What the database says and cannot be true.
package struct DamagedDatabase: Error, Equatable, CustomStringConvertible {
    /// What is wrong, without what stands there.
    package let description: String

    package init(description: String) { self.description = description }
}

/// Bytes on their way into and out of SQLite.
package struct Blob {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ data: Data) { bytes = Array(data) }

    /// As GRDB takes them.
    package var data: Data { Data(bytes) }
}

/// Columns as they must be: SQLite lets any kind of value stand in any column, and GRDB's own subscripts trap on a wrong
/// one.
extension Row {
    package func damaged(_ column: String) -> DamagedDatabase {
        // What stands there may be a secret.
        DamagedDatabase(description: "the column \(column) cannot be read")
    }

    /// What a column was read as, unless that failed.
    package func read<Value>(_ column: String, _ value: Value?) throws(DamagedDatabase) -> Value {
        guard let value else { throw damaged(column) }
        return value
    }

    package func isNull(_ column: String) throws(DamagedDatabase) -> Bool {
        if case .null = try stored(column) { true } else { false }
    }

    /// A whole number within limits.
    package func number(_ column: String, in range: ClosedRange<Int64>) throws(DamagedDatabase) -> Int64 {
        guard case .int64(let number) = try stored(column), range.contains(number) else { throw damaged(column) }
        return number
    }

    /// A number that is 0 or 1.
    package func flag(_ column: String) throws(DamagedDatabase) -> Bool { try number(column, in: 0...1) == 1 }

    /// A text, which must be there.
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
