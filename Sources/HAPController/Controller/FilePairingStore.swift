internal import Glibc
internal import SystemKit

/// A store in a file that only its owner can read.
public struct FilePairingStore: PairingStore {
    /// An error of a file operation.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The file's path, the failed action and the system's reason.
        public let description: String

        fileprivate init(_ action: String, _ path: String, _ error: SystemError = .last) {
            description = "\(path) can't be \(action): \(error.reason)"
        }
    }

    /// The maximum length of a file, in bytes.
    private static let maximumLength = 4 << 20
    private let path: String

    /// Creates a store in a file.
    ///
    /// - Parameter path: The file's path. The first save creates the file; its directory must exist. Each save first
    ///   writes a temporary file at the same path with the suffix `.new`.
    public init(path: String) { self.path = path }

    /// Returns the content of the file.
    ///
    /// - Returns: The bytes; `nil` if the file doesn't exist.
    /// - Throws: ``Failure``.
    public func load() throws -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure("read", path)
        }
        defer { close(file) }
        do throws(SystemError) {
            let bytes = try OpenFile(file).read(limit: Self.maximumLength)
            guard bytes.count <= Self.maximumLength else { throw SystemError(code: EFBIG) }
            return bytes
        } catch {
            throw Failure("read", path, error)
        }
    }

    /// Replaces the file atomically: writes a new file, flushes it to disk and renames it.
    ///
    /// - Throws: ``Failure``; the old file is unchanged, unless only flushing the directory failed.
    public func save(_ bytes: [UInt8]) throws {
        let unfinished = path + ".new"
        unlink(unfinished)
        let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Failure("written", unfinished) }
        do {
            defer { close(file) }
            do throws(SystemError) { try OpenFile(file).write(bytes) } catch {
                throw Failure("written", unfinished, error)
            }
            guard fsync(file) == 0 else { throw Failure("written", unfinished) }
        }
        guard rename(unfinished, path) == 0 else { throw Failure("written", path) }
        // The rename is durable only after the directory is flushed.
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Failure("opened", directory) }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw Failure("written", directory) }
    }
}
