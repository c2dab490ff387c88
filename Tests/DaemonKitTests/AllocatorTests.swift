import Glibc
import Testing

@testable import DaemonKit

@Suite("Allocator")
struct AllocatorTests {
    @Test(
        "keeps the buffers of large responses instead of returning them to the kernel",
        .enabled(if: dlsym(nil, "__sanitizer_get_heap_size") == nil, "sanitizers replace the heap"))
    func buffers() async {
        await #expect(processExitsWith: .success) {
            Allocator.setUp()
            Self.buffersOfOneAnswer()
            let before = Self.pageFaults
            for _ in 0..<100 { Self.buffersOfOneAnswer() }
            // The buffers have 128 pages. With the C library's default limits, there are thousands of page faults.
            #expect(Self.pageFaults - before < 1000)
        }
    }

    /// Allocates four buffers of 128 KB at the same time.
    ///
    /// This happens when the database of 100 lights is encoded, framed, encrypted and sent.
    private static func buffersOfOneAnswer() {
        _ = (1...4).map { [UInt8](repeating: $0, count: 128 << 10) }
    }

    private static var pageFaults: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_minflt
    }
}
