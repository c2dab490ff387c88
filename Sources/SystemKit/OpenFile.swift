import Glibc

/// Complete reads and writes of an open file.
package struct OpenFile: Sendable {
    private let descriptor: CInt

    /// Creates a value that uses an open file descriptor.
    ///
    /// The caller remains responsible for closing it.
    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Reads to the end of the file.
    ///
    /// If the result is longer than `limit`, the file is too large, and the result may be incomplete.
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

    /// Reads at most `limit` bytes; returns fewer only at the end of the file.
    package func readPart(atMost limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = bytes[filled...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { break }
            filled += count
        }
        return Array(bytes.prefix(filled))
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

/// An error of a system call.
package struct SystemError: Error, Equatable {
    /// An error number from errno(3).
    package let code: CInt

    /// Creates an error from a function that returns an error number.
    package init(code: CInt) { self.code = code }

    /// The error of the last failed system call.
    package static var last: SystemError { SystemError(code: errno) }

    /// The system's description of the error.
    package var reason: String { String(cString: strerror(code)) }

    /// A Boolean value that indicates whether this user doesn't have permission.
    package var isPermissionDenied: Bool { code == EACCES || code == EPERM }
}

/// A kernel file, such as those in `/proc`.
///
/// Such a file has no size, and a read returns at most one page. A reader that treats a short read as the end of the
/// file, such as Foundation's `Data(contentsOf:)`, gets only the first 4 KiB of a longer file.
package enum ProcFile {
    /// Returns the text of the file, limited to about 1 MiB.
    ///
    /// The text is empty if the file can't be read.
    package static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return String(decoding: (try? OpenFile(file).read(limit: 1 << 20)) ?? [], as: UTF8.self)
    }
}
