import Discovery
import Foundation
import TestTimeouts
import Testing

@Suite("Who listens to a browser", .timeout)
struct ListenerTests {
    /// A reader's end and the value that wakes it meet: the runtime holds the reader's lock in the one, we hold ours in the
    /// other.
    @Test("One that goes while a value is sent holds up neither the sender nor who ends it")
    func goingMeanwhile() async {
        let browser = InMemoryBrowser(ServiceSnapshot())
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        // On threads of their own: those that are held up would keep the timeout from its turn.
        for count in [100_000, 20_000] {
            Thread.detachNewThread {
                for number in 1...count {
                    if count > 20_000 {
                        browser.show(ServiceSnapshot(isComplete: number.isMultiple(of: 2)))
                    } else {
                        let reader = Task { for await _ in browser.snapshots() {} }
                        for _ in 1...number % 7 * 20 + 1 { _ = browser.snapshot }
                        reader.cancel()
                    }
                }
                end.yield()
            }
        }
        var ends = ended.makeAsyncIterator()
        for _ in 1...2 { #expect(await ends.next() != nil) }
    }
}
