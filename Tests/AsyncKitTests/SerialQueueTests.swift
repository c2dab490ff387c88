import TestTimeouts
import Testing

@testable import AsyncKit

@Suite("SerialQueue", .timeout)
struct SerialQueueTests {
    private struct Failed: Error {}

    @Test("runs each operation to its end and in order, even after an error or a cancellation")
    func order() async throws {
        let (queue, first) = (SerialQueue(), AsyncSignal())
        let (ends, end) = AsyncStream.makeStream(of: Int.self)
        let slow = Task {
            try await queue.run {
                await first.wait()
                end.yield(1)
                throw Failed()
            }
        }
        while await queue.last == nil { await Task.yield() }
        slow.cancel()
        let next = Task { await queue.run { _ = end.yield(2) } }
        first.send()
        await next.value
        await #expect(throws: Failed.self) { try await slow.value }
        var order = ends.makeAsyncIterator()
        #expect(await order.next() == 1)
        #expect(await order.next() == 2)
    }
}
