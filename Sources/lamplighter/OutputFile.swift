import BridgeControl
import Glibc

/// A file the operator asked for.
enum OutputFile {
    /// Writes the file, for its owner alone: it holds the setup code.
    static func write(_ bytes: [UInt8], to path: String) throws(BridgeControlError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(_ path: String) -> BridgeControlError {
        let reason = String(cString: strerror(errno))
        let code: Int32 = errno == EACCES || errno == EPERM ? 77 : errno == EIO || errno == ENOSPC ? 74 : 73
        return BridgeControlError(code: code, message: "cannot write \(path): \(reason)")
    }
}
