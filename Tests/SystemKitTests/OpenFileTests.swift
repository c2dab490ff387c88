import Glibc
import SystemKit
import TestTimeouts
import Testing

@Suite("OpenFile", .timeout)
struct OpenFileTests {
    @Test("stops reading an endless file at the limit")
    func endless() throws {
        let descriptor = open("/dev/zero", O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = try OpenFile(descriptor).read(limit: 100_000)
        #expect((100_001...300_000).contains(bytes.count))
    }
}
