import Glibc
import Testing

@testable import SystemKit

@Suite("ProcFile")
struct ProcFileTests {
    @Test("reads to the end of a file that needs several reads")
    func long() {
        // The file lists all mappings of the process. The last mapping belongs to the kernel.
        let lines = ProcFile.text(of: "/proc/self/maps").split(separator: "\n")
        #expect(lines.map(\.utf8.count).reduce(0, +) > 8192)
        #expect(lines.last?.hasSuffix("[vsyscall]") == true)
    }

    @Test("reads a short file, and returns an empty string for a missing file")
    func short() {
        #expect(ProcFile.text(of: "/proc/self/stat").hasPrefix("\(getpid()) ("))
        #expect(ProcFile.text(of: "/proc/self/nothing").isEmpty)
    }
}
