import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("Streams of events", .timeout)
struct EventStreamTests {
    @Test("a listener that does not keep up gets one event for all that it missed, as of the last")
    func overflow() async {
        let mailbox = Mailbox<Int>(limit: 3)
        for number in 1...3 { mailbox.post(number, summary: -number) }
        mailbox.post(4, summary: -4)
        mailbox.post(5, summary: -5)
        #expect(await mailbox.next() == -5)
        mailbox.post(6, summary: -6)
        #expect(await mailbox.next() == 6)
    }

    @Test("what was told before the end can be taken, and then it is over")
    func finish() async {
        let mailbox = Mailbox<Int>(limit: 3)
        mailbox.post(1, summary: 0)
        mailbox.finish()
        mailbox.post(2, summary: 0)
        #expect(await mailbox.next() == 1)
        #expect(await mailbox.next() == nil)
    }

    @Test("a reader that waits is woken by an event, by the end, and by its cancellation")
    func waiting() async {
        let mailbox = Mailbox<Int>(limit: 3)
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

    @Test("a listener that stopped listening is forgotten")
    func letGo() {
        let listeners = Listeners()
        var stream: EventStream<HomeNews>? = listeners.all()
        #expect(listeners.count == 1)
        _ = stream
        stream = nil
        #expect(listeners.count == 0)
    }

    @Test("a slow listener holds up nobody, and gets one homesUpdated")
    func slow() async throws {
        try await withHome { daemon in
            _ = try await daemon.furnish()
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let slow = manager.allEvents()
            let inHome = manager.events(in: home.id)
            for number in 0...EventStream<HomeNews>.limit {
                try await daemon.write(.renameHome(home.id, name: "Home \(number)"))
            }
            try await eventually { await manager.homes.first?.name == "Home \(EventStream<HomeNews>.limit)" }
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
            try await eventually { await manager.homes.first?.rooms.count == 1 }
            #expect(await slow.take(1).map(\.name) == ["homesUpdated"])
            let summary = try #require(await inHome.take(1).first)
            let now = try #require(await manager.homes.first)
            #expect(summary.change == .homesUpdated && summary.home == now)
            try await daemon.write(.addRoom(home.id, name: "Hall"))
            #expect(await slow.take(1).map(\.name) == ["roomAdded"])
        }
    }
}
