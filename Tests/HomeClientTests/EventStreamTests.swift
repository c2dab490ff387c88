import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("Streams of events", .timeout)
struct EventStreamTests {
    @Test("release a listener that has stopped reading")
    func released() {
        let listeners = Listeners()
        var stream: EventStream<HomeClientEvent>? = listeners.all()
        #expect(listeners.count == 1)
        _ = stream
        stream = nil
        #expect(listeners.count == 0)
    }

    @Test("send a slow listener one homesUpdated without delaying others")
    func slow() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let slow = manager.allEvents()
            let inHome = manager.events(in: home.id)
            for number in 0...EventStream<HomeClientEvent>.limit {
                try await daemon.write(.renameHome(home.id, name: "Home \(number)"))
            }
            try await eventually { await manager.homes.first?.name == "Home \(EventStream<HomeClientEvent>.limit)" }
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
