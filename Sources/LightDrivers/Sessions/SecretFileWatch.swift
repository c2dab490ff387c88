import AsyncKit
import Glibc

extension Backoff {
    /// The delays after a device or a broker has rejected a password or a key: 1 minute, then 2, 4, and 5 minutes from
    /// then on.
    ///
    /// Frequent attempts with a wrong password are useless, and devices lock out clients after too many of them.
    static let refusedLogin = Backoff(first: .seconds(60), longest: .seconds(300))
}

/// Detects changes of files with passwords or keys, so that a corrected secret is tried soon.
struct SecretFileWatch: Sendable {
    /// The interval between checks while a login is rejected.
    static let interval = Duration.seconds(2)

    private struct Stamp: Equatable, Sendable {
        var seconds, nanoseconds, size: Int
    }

    /// The last known status of each file; `nil` for a file whose status can't be read.
    private var stamps: [String: Stamp?] = [:]

    /// Creates a watch and stores the current status of the files, so it must be created before their contents are
    /// used.
    init(_ paths: some Sequence<String>) { _ = changed(Set(paths)) }

    /// Returns the files that have changed since the last check.
    ///
    /// Files that are checked for the first time count as unchanged.
    mutating func changed(_ paths: Set<String>) -> Set<String> {
        var current: [String: Stamp?] = [:]
        for path in paths {
            var status = stat()
            let isThere = stat(path, &status) == 0
            // Use the time of the last status change, so that a change of permissions counts, too.
            let time = status.st_ctim
            let stamp = Stamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec, size: Int(status.st_size))
            current.updateValue(isThere ? stamp : nil, forKey: path)
        }
        defer { stamps.merge(current) { $1 } }
        return paths.filter { stamps[$0] != nil && stamps[$0] != current[$0] }
    }
}
