import Glibc
import SystemKit

/// The facts about a file that its SQLite header contains.
///
/// The header takes the first 100 bytes (https://www.sqlite.org/fileformat.html, 1.3).
struct BackupHeader: Equatable {
    /// A Boolean value that indicates whether the file is an SQLite database.
    var isDatabase: Bool
    /// The program that the database belongs to.
    var applicationID: Int32
    /// The size of the database, in bytes.
    var databaseSize: UInt64
    /// The size of the file, in bytes.
    var fileSize: UInt64

    init(_ header: [UInt8], fileSize: UInt64) {
        func number(at offset: Int, _ length: Int) -> UInt64 {
            header.dropFirst(offset).prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
        }
        isDatabase = header.count >= 100 && header.starts(with: Array("SQLite format 3\0".utf8))
        applicationID = Int32(truncatingIfNeeded: number(at: 68, 4))
        // The value 1 represents 65536.
        let pageSize = number(at: 16, 2)
        databaseSize = number(at: 28, 4) * (pageSize == 1 ? 65536 : pageSize)
        self.fileSize = fileSize
    }

    init(ofFile path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError.last }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw SystemError.last }
        self.init(try OpenFile(file).readPart(atMost: 100), fileSize: UInt64(status.st_size))
    }
}
