import Dispatch
import Foundation
import TestTimeouts
import Testing

@testable import Discovery

@Suite("Broadcast", .timeout)
struct BroadcastTests {
    /// A value whose comparison stops its sender inside the broadcast's lock until a listener has ended.
    private struct Meeting: Equatable, Sendable {
        let begins = DispatchSemaphore(value: 0)
        let ends = DispatchSemaphore(value: 0)

        static func == (_: Meeting, new: Meeting) -> Bool {
            new.begins.signal()
            // If the other thread is blocked, it doesn't signal, so the sender continues after a timeout.
            _ = new.ends.wait(timeout: .now() + 0.5)
            return false
        }
    }

    @Test("ends a listener without a deadlock while a value is sent")
    func endMeanwhile() async {
        let broadcast = Broadcast(Meeting(), depth: 1)
        // This is repeated, because the listener may not be waiting yet when it is ended.
        for _ in 1...20 {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let listener = Task { for await _ in broadcast.values() { begin.yield() } }
            for await _ in begun { break }
            let meeting = Meeting()
            let (left, leave) = AsyncStream.makeStream(of: Void.self)
            // These run on separate threads, so that the test's timeout works even if they block.
            Thread.detachNewThread {
                _ = broadcast.send(meeting)
                leave.yield()
            }
            Thread.detachNewThread {
                meeting.begins.wait()
                listener.cancel()
                meeting.ends.signal()
                leave.yield()
            }
            var leaving = left.makeAsyncIterator()
            for _ in 1...2 where await leaving.next() == nil { return }
        }
    }

    @Test("sends every listener the newest value, and ends its stream when finished")
    func newest() async {
        let broadcast = Broadcast(0, depth: 1)
        var early = broadcast.values().makeAsyncIterator()
        for number in 1...1000 { #expect(broadcast.send(number)) }
        #expect(!broadcast.send(1000))
        var late = broadcast.values().makeAsyncIterator()
        #expect(await early.next() == 1000)
        #expect(await late.next() == 1000)
        broadcast.finish()
        #expect(await early.next() == nil)
        #expect(await late.next() == nil)
        var last = broadcast.values().makeAsyncIterator()
        #expect(await last.next() == 1000)
        #expect(await last.next() == nil)
    }
}
