import HAPModel
import HomeModel
import HomeTesting
import Testing
import WebAccess

@testable import homeweb

@Suite("The activity that a guest of some rooms sees")
struct GuestActivityTests {
    private let visible: Home
    private let guest: Visitor
    private let accessory: Accessory.ID
    private let scene = ActivityCause(app: "a", person: "Anna", actionSet: Self.newID(), name: "Vacation")

    private static func newID<Entity>() -> Identifier<Entity> {
        var random = SystemRandomNumberGenerator()
        return Identifier(using: &random)
    }

    init() throws {
        var hub = TestHub()
        let home = try hub.home("Villa")
        let room = try hub.room("Hall", in: home)
        _ = try hub.room("Safe Room", in: home)
        accessory = try hub.add(Devices.bridge(lamps: ["Hall Lamp"]), to: home)[0]
        guest = Visitor(name: "Guest", access: Visitor.Access(role: .guest, rooms: [room]))
        let whole = try #require(hub.graph.home(home))
        visible = try #require(guest.visible([whole]).first)
    }

    private func shown(
        _ changes: [ActivityChange], _ cause: ActivityCause = ActivityCause(), to visitor: Visitor? = nil
    ) -> ActivityEntry? {
        let entry = ActivityEntry(
            id: ActivityEntry.ID(number: 1), home: visible.id, time: .now, cause: cause, changes: changes)
        return entry.shown(to: visitor ?? guest, visible)
    }

    @Test("names neither other people nor automations and scenes of other rooms")
    func causes() {
        let change = ActivityChange.reachability(accessory: accessory, isReachable: true)
        let automation = ActivityCause(trigger: Self.newID(), name: "Nobody Home")
        #expect(shown([change], scene)?.cause.name == nil && shown([change], automation)?.cause.name == nil)
        #expect(shown([change], scene)?.cause.person == "Another person")
        #expect(shown([change], ActivityCause(app: "a", person: "Guest"))?.cause.person == "Guest")
        #expect(shown([change], scene, to: .local)?.cause == scene)
    }

    @Test("names no other rooms")
    func rooms() {
        let (out, back) = (
            ActivityChange.moved(accessory: accessory, room: "Safe Room"),
            ActivityChange.moved(accessory: accessory, room: "Hall")
        )
        #expect(shown([out, back])?.changes == [back])
        #expect(shown([out]) == nil && shown([]) == nil)
        #expect(shown([out], to: .local)?.changes == [out])
    }
}
