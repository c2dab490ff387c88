import BridgeControl
import Glibc
import SystemKit

/// A file the operator hands in.
struct InputFile: ~Copyable {
    let descriptor: CInt
    private let path: String

    /// - Throws: ``BridgeControlError`` if there is no such file, or it may not be read.
    init(_ path: String) throws(BridgeControlError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    /// All of it.
    ///
    /// - Throws: ``BridgeControlError`` if it cannot be read, or is larger than anything that can be handed in.
    func read() throws(BridgeControlError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try OpenFile(descriptor).read(limit: FileTransfer.maximumFileSize) } catch {
            throw Self.failure(path, error)
        }
        guard bytes.count <= FileTransfer.maximumFileSize else {
            throw BridgeControlError(code: 65, message: "\(path) is no backup of a bridge: it is too large")
        }
        return bytes
    }

    /// Begins again at its start.
    ///
    /// - Throws: ``BridgeControlError`` if the file has none, as a pipe.
    func rewind() throws(BridgeControlError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String, _ error: SystemError = .last) -> BridgeControlError {
        let code: Int32 = error.isPermissionDenied ? 77 : error.code == ENOENT ? 66 : 74
        return BridgeControlError(code: code, message: "cannot read \(path): \(error.reason)")
    }
}
