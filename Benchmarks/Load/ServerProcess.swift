import FoundationEssentials
import Glibc

/// The kernel's statistics of the process under load.
struct ServerProcess: Sendable {
    private let process: pid_t
    private let clock: clockid_t

    /// Creates the statistics of a process on this host.
    init(_ process: pid_t) throws {
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else { throw LoadError("there is no process \(process)") }
        self.process = process
        self.clock = clock
    }

    /// Returns the processor time of all threads, including ended ones.
    ///
    /// It is more precise than the value in `/proc/PID/stat`, which has a resolution of a hundredth of a second.
    func processorTime() throws -> Duration {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { throw LoadError("the process under load has ended") }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Returns the number of voluntary context switches of each running thread.
    func sleeps() throws -> [String: Int] {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        let counts = threads.compactMap { thread in
            (try? number("voluntary_ctxt_switches", in: "task/\(thread)/status")).map { (thread, $0) }
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// Returns the resident memory, in KiB.
    func residentMemory() throws -> Int { try number("Rss", in: "smaps_rollup") }

    /// Returns the dirty private memory of the process, in KiB.
    func privateDirtyMemory() throws -> Int { try number("Private_Dirty", in: "smaps_rollup") }

    /// Returns the number that follows a name and a colon in a file of the process (proc(5)).
    private func number(_ name: String, in file: String) throws -> Int {
        let text = String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(process)/\(file)")), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        guard
            let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) })
        else { throw LoadError("/proc/\(process)/\(file) has no value \(name)") }
        return number
    }
}
