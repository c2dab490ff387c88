import Glibc

/// A file that is open: whole reads and writes, in whatever pieces the system makes of them.
package struct OpenFile: Sendable {
    private let descriptor: CInt

    /// Takes a descriptor, which stays the caller's to close.
    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Reads to the end, or a little beyond a limit: then there was too much.
    package func read(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    package func write(_ bytes: some Sequence<UInt8>) throws(SystemError) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last }
            rest = rest.dropFirst(count)
        }
    }
}

/// What the system answered to a call that failed.
package struct SystemError: Error, Equatable {
    /// One of errno(3).
    package let code: CInt

    /// An error of a call that returns its code.
    package init(code: CInt) { self.code = code }

    /// The call that failed just now.
    package static var last: SystemError { SystemError(code: errno) }

    /// The system's words for it.
    package var reason: String { String(cString: strerror(code)) }

    /// Whether this user may not.
    package var isPermissionDenied: Bool { code == EACCES || code == EPERM }
}

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
