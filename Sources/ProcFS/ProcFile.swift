import Glibc

/// A file of the kernel's, as below `/proc`.
///
/// It has no size, and a read gives no more than a page of it: who takes a short read for the
/// end, as Foundation's `Data(contentsOf:)` does, has the first 4 KiB of a longer table.
package enum ProcFile {
    /// More than this is not read.
    static let largest = 1 << 20

    /// The whole text; empty if it cannot be read.
    package static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count < largest {
            let count = read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
