import Testing

@testable import DaemonKit

@Suite("SpareMemoryService")
struct SpareMemoryTests {
    @Test("returns free memory every minute while busy, and every ten minutes while idle")
    func pauses() {
        #expect(SpareMemoryService.pause(afterUsing: .zero) == .seconds(600))
        #expect(SpareMemoryService.pause(afterUsing: .milliseconds(99)) == .seconds(600))
        #expect(SpareMemoryService.pause(afterUsing: .milliseconds(100)) == .seconds(60))
        #expect(SpareMemoryService.pause(afterUsing: .seconds(60)) == .seconds(60))
    }
}
