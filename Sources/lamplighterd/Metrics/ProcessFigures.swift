import FoundationEssentials
import Glibc
import SystemKit

/// What the kernel knows of this process; what cannot be read is left out.
struct ProcessFigures: Equatable, Sendable {
    /// When the process started, in seconds since 1970.
    var startTime: Double?
    /// Time on a processor, in seconds.
    var processorTime: Double?
    /// Resident memory, in bytes.
    var residentMemory: Int?
    var openFiles: Int?
    /// The most files it may have open.
    var maximumFiles: Int?

    /// The start, told once: the wall clock may be set later.
    private static let started = Self(stat: ProcFile.text(of: "/proc/self/stat")).startTime

    static var current: ProcessFigures {
        var figures = ProcessFigures(stat: ProcFile.text(of: "/proc/self/stat"))
        figures.startTime = started
        // Looking opens one more.
        figures.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.maximumFiles = Int(exactly: limit.rlim_cur)
        }
        return figures
    }
}

extension ProcessFigures {
    /// Reads the kernel's line about the process (proc(5)).
    fileprivate init(stat: String) {
        // The name of the program, in brackets, may hold anything; field 3 is the first behind it.
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
