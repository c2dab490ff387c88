import Dispatch
import Foundation
import TestTimeouts
import Testing

@testable import Discovery

@Suite("A broadcast", .timeout)
struct BroadcastTests {
    /// A value at which a sender stops, inside the broadcast's lock, until somebody has come to an end meanwhile.
    private struct Meeting: Equatable, Sendable {
        let begins = DispatchSemaphore(value: 0)
        let ends = DispatchSemaphore(value: 0)

        static func == (_: Meeting, new: Meeting) -> Bool {
            new.begins.signal()
            // Who is held up never says so; then the sender goes on to what would hold it up, too.
            _ = new.ends.wait(timeout: .now() + 0.5)
            return false
        }
    }

    @Test("A listener that ends while a value is sent holds up neither the sender nor who ends it")
    func endMeanwhile() async {
        let broadcast = Broadcast(Meeting(), depth: 1)
        // Whether the listener waits already is not to be seen, so more than one meets the sender.
        for _ in 1...20 {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let listener = Task { for await _ in broadcast.values() { begin.yield() } }
            for await _ in begun { break }
            let meeting = Meeting()
            let (left, leave) = AsyncStream.makeStream(of: Void.self)
            // On threads of their own: if they are held up, the timeout still has its turn.
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

    @Test("A listener has the newest value, and one that comes late has it, too; all end with it")
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
