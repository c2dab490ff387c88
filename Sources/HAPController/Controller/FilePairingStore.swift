internal import Glibc

/// A store in a file that only its user can read.
public struct FilePairingStore: PairingStore {
    /// Why a file cannot be used.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// What was done, with which file, and the system's word for what is wrong.
        public let description: String

        fileprivate init(_ action: String, _ path: String) {
            description = "\(path) cannot be \(action): \(String(cString: strerror(errno)))"
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
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure("read", path) }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= Self.maximumLength else {
                errno = EFBIG
                throw Failure("read", path)
            }
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
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Failure("written", unfinished) }
                rest = rest.dropFirst(count)
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
