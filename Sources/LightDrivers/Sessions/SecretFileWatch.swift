import AsyncKit
import Glibc

extension Backoff {
    /// The pauses after a device or a broker has refused a password or a key: 1 minute, then 2, 4 and at most 5.
    ///
    /// A wrong password doesn't become right by repetition, and devices lock out clients with too many failures.
    static let refusedLogin = Backoff(first: .seconds(60), longest: .seconds(300))
}

/// Detects changes of files with passwords or keys, so that a corrected one is tried at once.
struct SecretFileWatch: Sendable {
    /// The interval between checks while a login is refused.
    static let interval = Duration.seconds(2)

    private struct Stamp: Equatable, Sendable {
        var seconds, nanoseconds, size: Int
    }

    /// `nil` for a file that can't be read.
    private var stamps: [String: Stamp?] = [:]

    /// Reads the files' status for the first time, before their contents are used.
    init(_ paths: some Sequence<String>) { _ = changed(Set(paths)) }

    /// Returns the files that have changed since the last check; new ones count as unchanged.
    mutating func changed(_ paths: Set<String>) -> Set<String> {
        var current: [String: Stamp?] = [:]
        for path in paths {
            var status = stat()
            let isThere = stat(path, &status) == 0
            // A change of permissions counts as well.
            let time = status.st_ctim
            let stamp = Stamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec, size: Int(status.st_size))
            current.updateValue(isThere ? stamp : nil, forKey: path)
        }
        defer { stamps.merge(current) { $1 } }
        return paths.filter { stamps[$0] != nil && stamps[$0] != current[$0] }
    }
}
