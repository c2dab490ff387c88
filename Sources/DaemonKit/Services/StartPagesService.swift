internal import FoundationEssentials
internal import Glibc
import ServiceLifecycle

/// Lets go of the pages of code that only the daemon's start needed.
///
/// A start touches most of a program once, and the kernel maps sixteen pages around each one touched. What cannot be written
/// is an unchanged copy of a file: letting go of it costs a daemon nothing but its page tables, and what is used again is
/// mapped again, out of the page cache.
package struct StartPagesService: Service {
    /// How long after it the start is taken to be over.
    private static let delay = Duration.seconds(5)

    package init() {}

    package func run() async throws {
        let hasStarted = await cancelWhenGracefulShutdown { (try? await Task.sleep(for: Self.delay)) != nil }
        if hasStarted, let maps = try? Data(contentsOf: URL(filePath: "/proc/self/maps")) {
            Self.release(String(decoding: maps, as: UTF8.self))
        }
        try? await gracefulShutdown()
    }

    private static func release(_ maps: String) {
        for pages in readOnlyPages(in: maps) {
            // A kernel that will not keeps them, and nothing is lost.
            if let start = UnsafeMutableRawPointer(bitPattern: pages.lowerBound) {
                madvise(start, pages.count, MADV_DONTNEED)
            }
        }
    }

    /// The addresses of a program's and its libraries' code and constants.
    ///
    /// Constants count where they stand at a file's beginning: further on, what is read-only now may have been written while
    /// the program was linked, and would be lost.
    ///
    /// - Parameter maps: the kernel's list of a process's mappings (proc(5)).
    /// - Returns: their ranges.
    static func readOnlyPages(in maps: String) -> [Range<UInt>] {
        maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 6, fields[5].hasPrefix("/"),
                fields[1] == "r-xp" || fields[1] == "r--p" && fields[2].allSatisfy({ $0 == "0" })
            else { return nil }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
        }
    }
}
