import Glibc
import Testing

@testable import SystemKit

@Suite("A file of the kernel's")
struct ProcFileTests {
    @Test("one that is longer than a read is read to its end")
    func long() {
        // Every mapping of the process, and behind them all the one of the kernel.
        let lines = ProcFile.text(of: "/proc/self/maps").split(separator: "\n")
        #expect(lines.map(\.utf8.count).reduce(0, +) > 8192)
        #expect(lines.last?.hasSuffix("[vsyscall]") == true)
    }

    @Test("a short one is read, and one that is not there is empty")
    func short() {
        #expect(ProcFile.text(of: "/proc/self/stat").hasPrefix("\(getpid()) ("))
        #expect(ProcFile.text(of: "/proc/self/nothing").isEmpty)
    }
}
