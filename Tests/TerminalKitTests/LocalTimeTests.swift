import Glibc
import TestTimeouts
import Testing

@testable import TerminalKit

@Suite("LocalTime", .timeout)
struct LocalTimeTests {
    @Test("converts UTC to the local time zone, and keeps other text")
    func local() async {
        // The time zone applies to the whole process.
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1", 1)
            tzset()
            #expect(LocalTime.text(of: "2026-11-26T23:05:28Z") == "2026-11-27 00:05:28")
            #expect(LocalTime.text(of: "2026-11-26T09:05:28.250Z") == "2026-11-26 10:05:28")
            #expect(LocalTime.text(of: "1") == "1")
            #expect(LocalTime.text(of: "") == "")
        }
    }
}
