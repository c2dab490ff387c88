import Glibc
import SystemKit

/// A file that the operator provides.
package struct InputFile: ~Copyable {
    package let descriptor: CInt
    private let path: String

    /// Opens a file.
    ///
    /// - Throws: ``OperatorError`` if the file doesn't exist or can't be read.
    package init(_ path: String) throws(OperatorError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    /// Reads the entire file.
    ///
    /// - Throws: ``OperatorError`` if it can't be read, or exceeds the size limit.
    package func read() throws(OperatorError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try OpenFile(descriptor).read(limit: FileTransfer.maximumFileSize) } catch {
            throw Self.failure(path, error)
        }
        guard bytes.count <= FileTransfer.maximumFileSize else {
            throw OperatorError(code: 65, message: "\(path) isn't a backup: it's too large")
        }
        return bytes
    }

    /// Moves to the beginning of the file.
    ///
    /// - Throws: ``OperatorError`` if that isn't possible, such as for a pipe.
    package func rewind() throws(OperatorError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
    }

    /// Checks that the file isn't a database with further changes in a journal next to it, such as a replaced database.
    ///
    /// - Throws: ``OperatorError`` if there is such a journal.
    package func checkHasNoJournal() throws(OperatorError) {
        var status = stat()
        guard stat(path + "-wal", &status) == 0, status.st_size > 0 else { return }
        throw OperatorError(
            code: 65, message: "\(path) lacks the latest changes, which are in \(path)-wal; nothing was changed",
            remedy: "to return to this database, stop the daemon and rename both files")
    }

    private static func failure(_ path: String, _ error: SystemError = .last) -> OperatorError {
        let code: Int32 = error.isPermissionDenied ? 77 : error.code == ENOENT ? 66 : 74
        return OperatorError(code: code, message: "can't read \(path): \(error.reason)")
    }
}
