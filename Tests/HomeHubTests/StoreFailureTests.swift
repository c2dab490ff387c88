import HomeModel
import TestTimeouts
import Testing

@Suite("The hub with a store that can't write", .timeout)
struct StoreFailureTests {
    @Test(
        "refuses a change with the reason, notifies no app and accepts the next change",
        arguments: [
            (true, "nothing was changed: the disk is full; make room in /var/lib/homehub"),
            (false, "nothing was changed: the home database can't be written; check the log of homehubd"),
        ])
    func refusal(isFull: Bool, message: String) async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            if isFull { house.store.fillUp() } else { house.store.breakDown() }
            let error = await #expect(throws: HomeError.self) { try await a.write(.addHome(name: "Home")) }
            #expect(error?.code == .storageFailed && error?.message == message)
            #expect(b.notifications.isEmpty)
            #expect(try HomesReply(json: try await b.call(.homes)).homes.isEmpty)
            house.store.breakDown(false)
            try await a.write(.addHome(name: "Home"))
        }
    }
}
