import AsyncKit
import TestTimeouts
import Testing

@Suite("AsyncSignal", .timeout)
struct AsyncSignalTests {
    @Test("wakes the task that waits")
    func wakes() async {
        let signal = AsyncSignal()
        async let waiting = signal.wait()
        signal.send()
        #expect(await waiting)
    }

    @Test("ends only the next wait immediately after several earlier sends", arguments: 1...3)
    func kept(count: Int) async {
        let signal = AsyncSignal()
        for _ in 0..<count { signal.send() }
        #expect(await signal.wait())
        let begin = ContinuousClock.now
        #expect(await !signal.wait(until: begin + .milliseconds(20)))
        #expect(ContinuousClock.now >= begin + .milliseconds(20))
    }

    @Test("waits until a deadline")
    func deadline() async {
        let signal = AsyncSignal()
        let begin = ContinuousClock.now
        #expect(await !signal.wait(until: begin + .milliseconds(10)))
        #expect(ContinuousClock.now >= begin + .milliseconds(10))
        signal.send()
        #expect(await signal.wait(until: begin + .seconds(3600)))
    }

    @Test("waits until its own deadline after waits with other deadlines", arguments: [nil, 20, 60])
    func deadlines(milliseconds: Int?) async {
        let signal = AsyncSignal()
        let begin = ContinuousClock.now
        for earlier in [3_600_000, 40, 10] {
            let givenUp = Task { await signal.wait(until: begin + .milliseconds(earlier)) }
            givenUp.cancel()
            #expect(await !givenUp.value)
        }
        // The timers of the earlier waits keep running.
        let waiting = Task { await signal.wait(until: milliseconds.map { begin + .milliseconds($0) }) }
        if let milliseconds {
            #expect(await !waiting.value)
            #expect(ContinuousClock.now >= begin + .milliseconds(milliseconds))
        } else {
            try? await Task.sleep(until: begin + .milliseconds(60), clock: .continuous)
            signal.send()
            #expect(await waiting.value)
        }
    }

    @Test("ends a canceled wait, with or without a deadline", arguments: [false, true])
    func cancelled(hasDeadline: Bool) async {
        let signal = AsyncSignal()
        let task = Task { await signal.wait(until: hasDeadline ? .now + .seconds(3600) : nil) }
        task.cancel()
        #expect(await !task.value)
        // The next wait needs a new signal.
        #expect(await !signal.wait(until: .now + .milliseconds(10)))
    }
}
