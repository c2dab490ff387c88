import HAPAccessoryTesting
import TestTimeouts
import Testing

@Suite("ManualClock", .timeout)
struct ManualClockTests {
    private let clock = ManualClock()

    @Test("ends sleeps in the order of their deadlines")
    func order() async {
        let (start, clock) = (clock.now, clock)
        let (ends, end) = AsyncStream.makeStream(of: Duration.self)
        for seconds in [3, 1, 2] {
            Task {
                try await clock.sleep(until: start.advanced(by: .seconds(seconds)))
                end.yield(.seconds(seconds))
            }
        }
        while clock.timerCount < 3 { await Task.yield() }
        var next = ends.makeAsyncIterator()
        for seconds in 1...3 {
            await clock.advance(by: .seconds(1))
            #expect(await next.next() == .seconds(seconds))
            #expect(clock.timerCount == 3 - seconds)
        }
        #expect(start.duration(to: clock.now) == .seconds(3))
    }

    @Test("ends a sleep immediately if its deadline has passed")
    func past() async throws {
        try await clock.sleep(until: clock.now)
        await clock.advance(by: .seconds(5))
        try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)))
        #expect(clock.timerCount == 0)
    }

    @Test("ends a canceled sleep, and forgets its timer")
    func cancellation() async throws {
        let sleep = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        while clock.timerCount == 0 { await Task.yield() }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
        #expect(clock.timerCount == 0)
    }

    @Test("calls a timer that is added while the clock advances to its deadline")
    func concurrentTimer() async {
        for _ in 0..<5000 {
            let clock = ManualClock()
            let deadline = clock.now.advanced(by: .seconds(1))
            let timer = Task.detached { _ = clock.schedule(at: deadline) {} }
            await clock.advance(by: .seconds(1))
            await timer.value
            #expect(clock.timerCount == 0)
        }
    }
}
