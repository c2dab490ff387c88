import Dispatch
import Foundation
import TestTimeouts
import Testing

@testable import Discovery

@Suite("Broadcasts", .timeout)
struct BroadcastTests {
    /// A value that stops a sender inside the broadcast's lock until another thread has ended.
    private struct Meeting: Equatable, Sendable {
        let begins = DispatchSemaphore(value: 0)
        let ends = DispatchSemaphore(value: 0)

        static func == (_: Meeting, new: Meeting) -> Bool {
            new.begins.signal()
            // A blocked thread doesn't signal. Then the sender continues.
            _ = new.ends.wait(timeout: .now() + 0.5)
            return false
        }
    }

    @Test("Ends a listener while it sends a value without a deadlock")
    func endMeanwhile() async {
        let broadcast = Broadcast(Meeting(), depth: 1)
        // The listener may not be waiting yet, so this is repeated.
        for _ in 1...20 {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let listener = Task { for await _ in broadcast.values() { begin.yield() } }
            for await _ in begun { break }
            let meeting = Meeting()
            let (left, leave) = AsyncStream.makeStream(of: Void.self)
            // On separate threads, so that the timeout works if they block.
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

    @Test("Gives every listener the newest value and the end")
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
