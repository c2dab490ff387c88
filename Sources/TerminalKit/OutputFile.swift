import Glibc
import SystemKit

/// Writes files that the operator has requested.
package enum OutputFile {
    /// Writes the file, readable only by its owner, because it may contain secrets such as the setup code.
    ///
    /// - Throws: ``TerminalError`` if the file can't be written. In that case, an existing file is unchanged.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        try make(path) { file in
            do throws(SystemError) { try OpenFile(file).write(bytes) } catch { throw PendingFile.failure(path, error) }
        }
    }

    /// Creates the file atomically, readable only by its owner.
    ///
    /// A terminal or a pipe is written to directly, unless `replacesOthers` is `true`. Then the file replaces whatever
    /// has its name, because another user controls the directory.
    ///
    /// - Throws: ``TerminalError``, or the errors of `body`. In that case, an existing file is unchanged.
    package static func make(_ path: String, replacesOthers: Bool = false, _ body: (CInt) throws -> Void) throws {
        let file = try PendingFile(path, replacesOthers: replacesOthers)
        try body(file.descriptor)
        try file.finish()
    }

    /// Creates the file like ``make(_:replacesOthers:_:)``, with contents that arrive later.
    ///
    /// - Throws: ``TerminalError``, or the errors of `body`. In that case, an existing file is unchanged.
    package static func make<Result>(
        _ path: String, asynchronously body: (CInt) async throws -> Result
    ) async throws -> Result {
        let file = try PendingFile(path, replacesOthers: false)
        let result = try await body(file.descriptor)
        try file.finish()
        return result
    }
}

/// A file that gets its name when it's complete, and is removed otherwise.
private final class PendingFile {
    let descriptor: CInt
    private let path: String
    /// The path of the incomplete file; `nil` if it has its name, or if a terminal or a pipe is written to.
    private var unfinished: String?

    init(_ path: String, replacesOthers: Bool) throws {
        self.path = path
        var status = stat()
        let isFile = replacesOthers || stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        // No other process can have created a file or a link with this random name.
        let temporary = isFile ? path + "." + String(UInt64.random(in: 0 ... .max), radix: 36) : path
        descriptor = open(temporary, O_WRONLY | O_CLOEXEC | (isFile ? O_CREAT | O_EXCL : 0), 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
        unfinished = isFile ? temporary : nil
    }

    deinit {
        close(descriptor)
        if let unfinished { unlink(unfinished) }
    }

    /// Makes the contents durable and gives the file its name.
    func finish() throws {
        guard let unfinished else { return }
        guard fsync(descriptor) == 0, rename(unfinished, path) == 0 else { throw Self.failure(path) }
        self.unfinished = nil
        Self.flushFolder(of: path)
    }

    /// Makes a file's name durable, if the user may read its folder.
    private static func flushFolder(of path: String) {
        let slash = path.lastIndex(of: "/")
        let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    static func failure(_ path: String, _ error: SystemError = .last) -> TerminalError {
        let code: Int32 = error.isPermissionDenied ? 77 : error.code == EIO || error.code == ENOSPC ? 74 : 73
        return TerminalError(code: code, message: "can't write \(path): \(error.reason)")
    }
}
