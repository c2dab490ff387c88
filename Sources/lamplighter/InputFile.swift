import BridgeControl
import Glibc
import SystemKit

/// A file that the operator provides.
struct InputFile: ~Copyable {
    let descriptor: CInt
    private let path: String

    /// Opens a file.
    ///
    /// - Throws: ``BridgeControlError`` if the file doesn't exist or can't be read.
    init(_ path: String) throws(BridgeControlError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    /// Reads the entire file.
    ///
    /// - Throws: ``BridgeControlError`` if it can't be read, or exceeds the size limit.
    func read() throws(BridgeControlError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try OpenFile(descriptor).read(limit: FileTransfer.maximumFileSize) } catch {
            throw Self.failure(path, error)
        }
        guard bytes.count <= FileTransfer.maximumFileSize else {
            throw BridgeControlError(code: 65, message: "\(path) isn't a backup: it's too large")
        }
        return bytes
    }

    /// Moves to the beginning of the file.
    ///
    /// - Throws: ``BridgeControlError`` if that isn't possible, such as for a pipe.
    func rewind() throws(BridgeControlError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String, _ error: SystemError = .last) -> BridgeControlError {
        let code: Int32 = error.isPermissionDenied ? 77 : error.code == ENOENT ? 66 : 74
        return BridgeControlError(code: code, message: "can't read \(path): \(error.reason)")
    }
}
