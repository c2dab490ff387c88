import AsyncKit
import TestTimeouts
import Testing

/// A buffer that adds up numbers until the sum is taken.
private struct Sum: MailboxBuffer {
    private var sum: Int?

    mutating func add(_ number: Int) { sum = (sum ?? 0) + number }

    mutating func take() -> Int? {
        defer { sum = nil }
        return sum
    }
}

@Suite("Mailbox", .timeout)
struct MailboxTests {
    @Test("replaces events beyond its limit with a summary, then accepts events again")
    func overflow() async {
        let mailbox = BoundedMailbox<Int>(limit: 3)
        for number in 1...3 { mailbox.post(number, summary: -number) }
        #expect(mailbox.take() == 1)
        mailbox.post(4, summary: -4)
        #expect(await mailbox.next() == 2)
        for number in 5...7 { mailbox.post(number, summary: -number) }
        #expect(await mailbox.next() == -7)
        #expect(mailbox.take() == nil)
        mailbox.post(8, summary: -8)
        #expect(await mailbox.next() == 8)
    }

    @Test("returns events as its buffer merges them")
    func folding() async {
        let mailbox = Mailbox(Sum())
        for number in 1...4 { mailbox.post(number) }
        #expect(await mailbox.next() == 10)
        #expect(mailbox.take() == nil)
    }

    @Test("returns waiting events after it is finished, accepts no more, and can be reopened")
    func finish() async {
        let mailbox = BoundedMailbox<Int>(limit: 3)
        mailbox.post(1, summary: 0)
        mailbox.finish()
        mailbox.post(2, summary: 0)
        #expect(await mailbox.next() == 1)
        #expect(await mailbox.next() == nil)
        mailbox.reopen()
        mailbox.post(3, summary: 0)
        mailbox.post(4, summary: 0)
        mailbox.clear()
        #expect(mailbox.take() == nil)
        mailbox.post(5, summary: 0)
        #expect(await mailbox.next() == 5)
    }

    @Test("wakes its reader for an event, for the end, and when its task is canceled")
    func waiting() async {
        let mailbox = BoundedMailbox<Int>(limit: 3)
        let first = Task { await mailbox.next() }
        mailbox.post(1, summary: 0)
        #expect(await first.value == 1)
        let cancelled = Task { await mailbox.next() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let last = Task { await mailbox.next() }
        mailbox.finish()
        #expect(await last.value == nil)
    }

    @Test("serves one reader, and delivers no event to a second one")
    func secondReader() async {
        let mailbox = BoundedMailbox<Int>(limit: 3)
        let readers = (0..<2).map { _ in Task { await mailbox.next() } }
        let early = await withTaskGroup(of: Int??.self) { group in
            for reader in readers { group.addTask { .some(await reader.value) } }
            let early = await group.next() ?? nil
            mailbox.post(7, summary: 0)
            let late = await group.next() ?? nil
            #expect(late == .some(7))
            return early
        }
        #expect(early == .some(nil))
    }

    @Test("returns waiting events to a canceled reader, then the end")
    func cancelledReader() async {
        let mailbox = BoundedMailbox<Int>(limit: 3)
        mailbox.post(1, summary: 0)
        let taken = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return (await mailbox.next(), await mailbox.next())
        }.value
        #expect(taken == (1, nil))
    }

    @Test("ends as a sequence when it is finished")
    func sequence() async {
        let mailbox = BoundedMailbox<Int>(limit: 100)
        let sum = Task {
            var sum = 0
            for await number in mailbox { sum += number }
            return sum
        }
        for number in 1...10 { mailbox.post(number, summary: 0) }
        mailbox.finish()
        #expect(await sum.value == 55)
    }
}
