import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The request queue of a datagram device", .timeout)
struct RequestQueueTests {
    typealias Queue = RequestQueue<String>

    @Test("sends a request six times within 1.7 s, then gives up")
    func retries() {
        var queue = Queue(burst: 100, perSecond: 1000)
        queue.ask("state")
        #expect(queue.transmit(now: .zero)?.request == "state")
        for milliseconds in [200, 400, 650, 950, 1300] {
            #expect(queue.deadline == .milliseconds(milliseconds))
            #expect(queue.transmit(now: .milliseconds(milliseconds - 1)) == nil)
            #expect(queue.transmit(now: .milliseconds(milliseconds))?.request == "state")
            #expect(!queue.isGivenUp(now: .milliseconds(milliseconds)))
        }
        #expect(queue.transmit(now: .seconds(9)) == nil && queue.deadline == .milliseconds(1700))
        #expect(!queue.isGivenUp(now: .milliseconds(1699)) && queue.isGivenUp(now: .milliseconds(1700)))
    }

    @Test("keeps a request's number for all attempts")
    func numbers() {
        var queue = Queue(burst: 100, perSecond: 1000)
        queue.ask("a")
        queue.ask("b")
        #expect(queue.transmit(now: .zero)?.number == 1)
        #expect(queue.transmit(now: .seconds(1))?.number == 1)
        #expect(queue.answered() == nil)
        #expect(queue.transmit(now: .seconds(1))?.number == 2)
    }

    @Test("sends a command before all queries, and repeats the query that it interrupts")
    func commandsFirst() {
        var queue = Queue(burst: 100, perSecond: 1000)
        queue.ask("state")
        queue.ask("name")
        #expect(queue.transmit(now: .zero)?.request == "state")
        queue.add(["color", "power"], command: 7)
        #expect(queue.transmit(now: .zero)?.request == "color")
        #expect(queue.answered() == nil)
        #expect(queue.transmit(now: .zero)?.request == "power")
        #expect(queue.answered() == 7)
        #expect(queue.transmit(now: .zero)?.request == "state")
        #expect(queue.answered() == nil)
        #expect(queue.transmit(now: .zero)?.request == "name")
    }

    @Test("sends a burst of messages, then one message per interval")
    func pacing() {
        var queue = Queue(burst: 5, perSecond: 10)
        var sentAt: [Duration] = []
        for number in 0..<20 { queue.add(["\(number)"], command: number) }
        var now = Duration.zero
        while let deadline = queue.deadline, sentAt.count < 20 {
            now = max(now, deadline)
            if queue.transmit(now: now) != nil { sentAt.append(now) }
            _ = queue.answered()
        }
        #expect(sentAt.prefix(5).allSatisfy { $0 == .zero })
        #expect(sentAt.dropFirst(5) == (1...15).map { Duration.milliseconds(100 * $0) }[...])
    }

    @Test("sends a probe once, and drops the unsent requests of a canceled command")
    func probesAndCancellation() {
        var queue = Queue(burst: 5, perSecond: 10)
        queue.ask("there?", isProbe: true)
        #expect(queue.transmit(now: .zero) != nil)
        #expect(queue.transmit(now: .milliseconds(200)) == nil && queue.isGivenUp(now: .milliseconds(200)))
        #expect(queue.clear() == [])
        queue.add(["a", "b"], command: 1)
        queue.add(["c"], command: 2)
        #expect(queue.transmit(now: .seconds(1))?.request == "a")
        queue.cancel(1)
        #expect(queue.transmit(now: .seconds(1))?.request == "c")
        #expect(queue.clear() == [2])
        #expect(queue.isEmpty && queue.deadline == nil)
    }
}
