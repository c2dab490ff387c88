import HomeModel
import HomePresentation
import HomeTesting
import Testing

@Suite("Accessory problems") struct AccessoryProblemsTests {
    @Test("reports each change of an accessory's problem once")
    func problems() throws {
        var hub = TestHub()
        let home = try hub.home()
        let ids = try (1...2).map { try hub.add([Devices.lamp("Lamp \($0)")], to: home, device: $0)[0] }
        func lamp(_ number: Int) throws -> Accessory { try #require(hub.graph.accessory(ids[number])) }
        var problems = AccessoryProblems(hub.graph.homes)
        #expect(problems.changed(in: hub.graph.homes).isEmpty)
        hub.graph.apply(.reachabilityUpdated(ids[0], false))
        // This is the state after a restart of the daemon: the first accessory is reachable again, and the second one
        // isn't.
        hub.graph.apply(.reachabilityUpdated(ids[1], false))
        hub.graph.apply(.reachabilityUpdated(ids[0], true))
        #expect(!problems.changed(try lamp(0)))
        #expect(problems.changed(in: hub.graph.homes).map(\.id) == [ids[1]])
        #expect(!problems.changed(try lamp(1)))
        hub.graph.apply(.faultUpdated(ids[1], .forgotten))
        #expect(problems.changed(try lamp(1)))
        #expect(!problems.changed(try lamp(1)))
        hub.graph.apply(.reachabilityUpdated(ids[1], true))
        #expect(problems.changed(try lamp(1)))
        var empty = AccessoryProblems()
        #expect(!empty.changed(try lamp(0)), "a new accessory without a problem")
    }
}
