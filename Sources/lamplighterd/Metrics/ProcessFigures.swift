import FoundationEssentials
import Glibc
import SystemKit

/// Statistics about this process, from the kernel.
///
/// Values that can't be read are `nil`.
struct ProcessFigures: Equatable, Sendable {
    /// The start of the process, in seconds since 1970.
    var startTime: Double?
    /// The processor time, in seconds.
    var processorTime: Double?
    /// The resident memory, in bytes.
    var residentMemory: Int?
    var openFiles: Int?
    /// The maximum number of open files.
    var maximumFiles: Int?

    /// The start time, which is calculated only once, because the wall clock may be changed later.
    private static let started = Self(stat: ProcFile.text(of: "/proc/self/stat")).startTime

    static var current: ProcessFigures {
        var figures = ProcessFigures(stat: ProcFile.text(of: "/proc/self/stat"))
        figures.startTime = started
        // Reading the directory opens another descriptor, which isn't counted.
        figures.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.maximumFiles = Int(exactly: limit.rlim_cur)
        }
        return figures
    }
}

extension ProcessFigures {
    /// Parses the contents of `/proc/self/stat` (proc(5)).
    fileprivate init(stat: String) {
        // Field 2 is the program's name in parentheses, which may contain any characters. Here, `fields[0]` is field 3
        // of proc(5).
        guard let name = stat.lastIndex(of: ")") else { return }
        let fields = stat[name...].split(separator: " ").dropFirst().compactMap { Int($0) ?? ($0.isEmpty ? nil : 0) }
        guard fields.count > 21 else { return }
        let ticks = Double(sysconf(CInt(_SC_CLK_TCK)))
        processorTime = Double(fields[11] + fields[12]) / ticks
        residentMemory = fields[21] * sysconf(CInt(_SC_PAGESIZE))
        var sinceBoot = timespec()
        var wall = timespec()
        clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
        clock_gettime(CLOCK_REALTIME, &wall)
        startTime = wall.seconds - sinceBoot.seconds + Double(fields[19]) / ticks
    }
}

extension timespec {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_nsec) / 1e9 }
}
