import Glibc

/// A file of the kernel's, as below `/proc`.
///
/// It has no size, and a read gives no more than a page of it: who takes a short read for the
/// end, as Foundation's `Data(contentsOf:)` does, has the first 4 KiB of a longer table.
package enum ProcFile {
    /// The whole text, but not much more than 1 MiB; empty if it cannot be read.
    package static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return String(decoding: (try? OpenFile(file).read(limit: 1 << 20)) ?? [], as: UTF8.self)
    }
}
