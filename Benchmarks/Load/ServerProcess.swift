import FoundationEssentials
import Glibc

/// What the kernel knows of the process under load.
struct ServerProcess: Sendable {
    private let process: pid_t
    private let clock: clockid_t

    /// Takes a process of this host.
    init(_ process: pid_t) throws {
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else { throw LoadError("there is no process \(process)") }
        self.process = process
        self.clock = clock
    }

    /// The time that all its threads have had on a processor, those that have ended included; `/proc/PID/stat` tells the
    /// same in hundredths of a second.
    func processorTime() throws -> Duration {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { throw LoadError("the process under load has ended") }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// How often each of its threads slept by itself, to be woken again; those that have ended are forgotten.
    func sleeps() throws -> [String: Int] {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        let counts = threads.compactMap { thread in
            (try? number("voluntary_ctxt_switches", in: "task/\(thread)/status")).map { (thread, $0) }
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// Resident memory, in KiB.
    func residentMemory() throws -> Int { try number("Rss", in: "smaps_rollup") }

    /// Memory that is the process's alone and has been written to, in KiB.
    func privateDirtyMemory() throws -> Int { try number("Private_Dirty", in: "smaps_rollup") }

    /// The number behind a name and a colon (proc(5)).
    private func number(_ name: String, in file: String) throws -> Int {
        let text = String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(process)/\(file)")), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        guard
            let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) })
        else { throw LoadError("/proc/\(process)/\(file) does not tell \(name)") }
        return number
    }
}
