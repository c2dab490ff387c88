import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

@testable import HomePresentation

@Suite("The activity in words")
struct ActivityPhrasesTests {
    private let home: Home
    private let phrases: ActivityPhrases
    private static let now = Timestamp(millisecondsSince1970: 1_782_993_600_000)  // 2026-07-02 12:00 UTC

    init() throws {
        let lamp: Values = [.on: .bool(true), .brightness: .integer(40)]
        let (hub, id) = try ProductHomes.home([
            ("Hall Lamp", [ProductHomes.service(.lightbulb, lamp)]),
            ("Desk Lamp", [ProductHomes.service(.lightbulb, lamp)]),
            ("Hall Sensor", [ProductHomes.service(.motionSensor, [.motionDetected: .bool(false)])]),
            ("Front Door", [ProductHomes.service(.lockMechanism, [.lockTargetState: .integer(1)])]),
        ])
        home = try #require(hub.graph.home(id))
        phrases = ActivityPhrases(home: home, time: HomeTime(zone: .utc, now: Self.now))
    }

    private func change(
        _ accessory: Int, _ type: CharacteristicType, _ new: CharacteristicValue, from old: CharacteristicValue? = nil,
        code: HomeError.Code? = nil
    ) throws -> ActivityChange {
        let accessory = home.accessories[accessory]
        let id = try #require(accessory.services.lazy.compactMap { $0.characteristic(type) }.first).id
        guard let code else { return .value(accessory: accessory.id, characteristic: id, old: old, new: new) }
        return .failure(accessory: accessory.id, characteristic: id, value: new, code: code)
    }

    private func entry(minutesAgo minutes: Int64 = 0, _ changes: [ActivityChange]) -> ActivityEntry {
        entry(minutesAgo: minutes, ActivityCause(), changes)
    }

    private func entry(
        minutesAgo minutes: Int64 = 0, _ cause: ActivityCause, _ changes: [ActivityChange]
    ) -> ActivityEntry {
        let time = Timestamp(millisecondsSince1970: Self.now.millisecondsSince1970 - minutes * 60_000)
        return ActivityEntry(id: .first(at: time), home: home.id, time: time, cause: cause, changes: changes)
    }

    private func run(_ name: String?) -> ActivityCause {
        var random = SeededNumbers(seed: 1)
        return ActivityCause(trigger: Trigger.ID(using: &random), name: name)
    }

    private let anna = ActivityCause(app: "org.lamplighter.homeweb", person: "Anna")

    @Test("names the cause and its effect in one sentence")
    func sentences() throws {
        let off = [try change(0, .on, .bool(false)), try change(1, .on, .bool(false))]
        let failure = try change(3, .lockTargetState, .integer(0), code: .accessoryNotReachable)
        #expect(phrases.line(entry(run("Evening"), off)).text == "Evening: turned off 2 lights")
        #expect(
            phrases.line(entry(run("Evening"), off + [failure])).text
                == "Evening: turned off 2 lights; 1 accessory failed")
        #expect(phrases.line(entry(run(nil), [])).text == "An automation: ran")
        #expect(phrases.line(entry(anna, [off[0]])).text == "Turned off Hall Lamp")
        #expect(phrases.line(entry(anna, [failure])).isProblem)
        let brightness = try change(0, .brightness, .integer(40), from: .integer(80))
        #expect(phrases.line(entry(anna, [brightness])).text == "Set the brightness of Hall Lamp to 40 %")
        #expect(phrases.line(entry([brightness])).text == "Hall Lamp: brightness 40 %, before 80 %")
        #expect(
            phrases.line(entry(anna, [try change(3, .lockTargetState, .integer(0))])).text
                == "Set Front Door to unlocked")
        #expect(
            phrases.line(entry([.renamed(object: .room, old: "Attic", name: "$ %", accessory: nil)])).text
                == "The room Attic was renamed to $ %")
        let lamp = home.accessories[0].id
        let renamed = phrases.line(
            entry([
                .renamed(object: .accessory, old: "Lamp", name: "Hall Lamp", accessory: lamp),
                .renamed(object: .service, old: "Lamp", name: "Hall Lamp", accessory: lamp),
            ]))
        #expect(renamed.text == "Lamp was renamed to Hall Lamp" && renamed.details.isEmpty)
        #expect(phrases.line(entry(run("Dawn"), [.notRun(result: .chainTooDeep)])).text.hasPrefix("Dawn: stopped"))
    }

    @Test(
        "names the person, or the app if the person is unknown",
        arguments: [
            (ActivityCause(), nil), (ActivityCause(app: "org.lamplighter.homeweb", person: "Anna"), "Anna"),
            (ActivityCause(app: "org.lamplighter.homeweb"), "the web page"),
            (ActivityCause(app: "org.lamplighter.homehub"), "the homehub command"),
            (ActivityCause(app: "org.example", person: "Ben"), "Ben, with org.example"),
        ] as [(ActivityCause, String?)])
    func requesters(cause: ActivityCause, name: String?) {
        #expect(phrases.line(entry(cause, [.message(text: "x")])).requester == name)
    }

    @Test("groups lines by local day, and condenses repeated changes of a sensor")
    func days() throws {
        let motion = try (0..<6).map { index in
            entry(minutesAgo: Int64(index * 5), [try change(2, .motionDetected, .bool(index % 2 == 0))])
        }
        let lamp = entry(minutesAgo: 7, anna, [try change(0, .on, .bool(true))])
        let earlier = entry(minutesAgo: 60, [try change(2, .motionDetected, .bool(true))])
        let yesterday = entry(minutesAgo: 13 * 60, [try change(2, .motionDetected, .bool(false))])
        let old = entry(minutesAgo: 3 * 24 * 60, [try change(2, .motionDetected, .bool(false))])
        let entries = (motion + [lamp, earlier, yesterday, old]).sorted { $0.id > $1.id }
        let days = phrases.days(entries)
        #expect(days.map(\.name) == ["Today", "Yesterday", "Monday, June 29"])
        #expect(
            days[0].lines.map(\.text) == [
                "Hall Sensor: motion; 6 changes since 11:35", "Turned on Hall Lamp", "Hall Sensor: motion",
            ])
        #expect(days[0].lines[0].id == motion.last?.id && days[0].lines[0].latest == motion.first?.id)
        #expect(days[0].lines[0].details.count == 6)
    }
}
