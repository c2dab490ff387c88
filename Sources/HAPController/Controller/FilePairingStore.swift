internal import Glibc
internal import SystemKit

/// A store in a file that only its user can read.
public struct FilePairingStore: PairingStore {
    /// Why a file cannot be used.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// What was done, with which file, and the system's word for what is wrong.
        public let description: String

        fileprivate init(_ action: String, _ path: String, _ error: SystemError = .last) {
            description = "\(path) cannot be \(action): \(error.reason)"
        }
    }

    /// The longest file that is read, in bytes.
    private static let maximumLength = 4 << 20
    private let path: String

    /// Names a file.
    ///
    /// - Parameter path: the file; it is made when it is needed. The directory must be there. Beside it stands a file of the same
    ///   name with `.new` while it is saved.
    public init(path: String) { self.path = path }

    /// What the file holds.
    ///
    /// - Returns: the bytes; `nil` if there is no file.
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

    /// Replaces the file: another one is written, flushed to the disk and renamed.
    ///
    /// - Throws: ``Failure``; the former file is as it was.
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
        // The name is durable with its directory.
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Failure("opened", directory) }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw Failure("written", directory) }
    }
}
