import BridgeControl
import Glibc

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
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= FileTransfer.maximumFileSize {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(path) }
            guard count > 0 else { return bytes }
            bytes += block.prefix(count)
        }
        throw BridgeControlError(code: 65, message: "\(path) is no backup of a bridge: it is too large")
    }

    /// Begins again at its start.
    ///
    /// - Throws: ``BridgeControlError`` if the file has none, as a pipe.
    func rewind() throws(BridgeControlError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> BridgeControlError {
        let reason = String(cString: strerror(errno))
        let code: Int32 = errno == EACCES || errno == EPERM ? 77 : errno == ENOENT ? 66 : 74
        return BridgeControlError(code: code, message: "cannot read \(path): \(reason)")
    }
}
