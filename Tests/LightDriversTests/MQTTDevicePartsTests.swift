import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The parts of a device on MQTT", .timeout)
struct MQTTDevicePartsTests {
    private static func light(_ id: LightID, _ name: String = "Plug") -> MQTTPart {
        MQTTPart(.accessory, LightDescription(id: id, name: name, kind: .outlet, capabilities: .init()), of: "d")
    }

    private static func part(
        _ id: LightID, _ role: MQTTPart.Role, _ kind: LightKind, _ capabilities: LightCapabilities = .init(),
        name: String = "Plug", of device: String = "d"
    ) -> MQTTPart {
        let own = LightDescription(id: id, name: name, kind: kind, capabilities: capabilities)
        var shared = own
        shared.id = LightID("\(device)/sensors")
        shared.capabilities = LightCapabilities()
        return MQTTPart(role, own, of: device, device: shared)
    }

    private static let power = part("p", .meter, .meter, .sensor([.power]))
    private static let temperature = part("t", .reading(isSubstitute: false), .sensor, .sensor([.temperature]))
    private static let button = part("b", .buttons([PushButton(id: "x", name: "X")], .event), .button)
    private static let scene = part("s", .scenes([.scene("feed", name: "Feed")]), .scene)

    /// The accessories that are shown, each as its kind, readings, buttons and scenes.
    private struct Shown {
        var parts: MQTTDeviceParts
        var accessories: [String: String] = [:]
        var reports: [LightID: LightReport] = [:]
        var now = Duration.zero

        init(_ kinds: Set<LightKind> = Set(LightKind.allCases)) { parts = MQTTDeviceParts(kinds: kinds) }

        mutating func take(_ actions: [MQTTAction]) {
            for action in actions {
                switch action {
                case .added(let light):
                    let readings = light.capabilities.readings.union(light.functions.flatMap(\.meterReadings))
                    let names =
                        readings.map { "\($0)" }.sorted() + light.buttons.map(\.id) + light.scenes.compactMap(\.id)
                    accessories[light.id.rawValue] = "\(light.kind): \(names.joined(separator: " "))"
                case .removed(let id): #expect(accessories.removeValue(forKey: id.rawValue) != nil)
                case .report(let id, let report): reports[id, default: LightReport()].merge(report)
                default: Issue.record("\(action)")
                }
            }
        }

        mutating func announce(_ part: MQTTPart) {
            _ = parts.announced(part, now: now)
            take(parts.joined([.added(part.description)], now: now))
        }

        mutating func remove(_ part: MQTTPart) { take(parts.joined([.removed(part.description.id)], now: now)) }

        mutating func report(_ part: MQTTPart, _ report: LightReport) {
            take(parts.joined([.report(part.description.id, report)], now: now))
        }

        mutating func settle() {
            now += MQTTDeviceParts.settlingTime
            for key in parts.due(now: now) { take(parts.place(key).actions) }
        }
    }

    private static func orders(_ parts: [MQTTPart]) -> [[MQTTPart]] {
        guard parts.count > 1 else { return [parts] }
        return parts.indices.flatMap { index in
            var rest = parts
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    @Test("aren't removed if they are withdrawn before they were added")
    private func removesOnlyWhatWasAdded() {
        var shown = Shown()
        shown.announce(Self.power)
        shown.remove(Self.power)
        shown.settle()
        #expect(shown.accessories.isEmpty)
    }

    @Test(
        "join the same accessories in any order of announcements",
        arguments: [
            ([temperature], ["d/sensors": "sensor: temperature"]), ([power], ["d/sensors": "meter: power"]),
            ([button], ["d/sensors": "button: x"]), ([scene], ["d/sensors": "scene: scene/feed"]),
            ([button, scene], ["d/sensors": "button: x scene/feed"]),
            ([temperature, button, scene], ["d/sensors": "sensor: temperature x scene/feed"]),
            ([temperature, power], ["d/sensors": "sensor: power temperature"]),
            ([light("l"), button, scene, power], ["l": "outlet: power x scene/feed"]),
            (
                [light("l"), temperature, button, power],
                ["l": "outlet: power x", "d/sensors": "sensor: temperature"]
            ),
            // The first accessory shows the buttons, and the meter belongs to the accessory that its name mentions.
            (
                [
                    light("l", "Plug left"), light("r", "Plug right"), button,
                    part("p", .meter, .meter, .sensor([.power]), name: "Plug right power"),
                ], ["l": "outlet: x", "r": "outlet: power"]
            ),
            // Other devices have their own parts.
            (
                [light("l"), part("o", .meter, .meter, .sensor([.power]), of: "other"), scene],
                ["l": "outlet: scene/feed", "other/sensors": "meter: power"]
            ),
        ] as [([MQTTPart], [String: String])])
    private func joins(parts: [MQTTPart], accessories: [String: String]) {
        for order in Self.orders(parts) {
            var shown = Shown()
            for part in order { shown.announce(part) }
            shown.settle()
            #expect(shown.accessories == accessories, "\(order.map(\.description.id))")
            #expect(shown.parts.deadline == nil)
            for part in order { shown.announce(part) }
            shown.settle()
            #expect(shown.accessories == accessories, "announced again")
        }
    }

    @Test("move when the accessory that shows them is removed or added, with their last values")
    func moves() throws {
        let siren = Self.part("a", .scenes([.siren("alarm", name: "Alarm")]), .scene)
        let on = Property(.on, of: "siren/alarm")
        var shown = Shown()
        for part in [Self.light("l"), Self.power, siren] { shown.announce(part) }
        shown.report(Self.power, LightReport(readings: [.power: .number(5)], reachable: true))
        var report = LightReport(reachable: true)
        report.values[on] = .bool(true)
        shown.report(siren, report)
        #expect(shown.reports.isEmpty && shown.accessories == ["l": "outlet: "])
        shown.settle()
        #expect(shown.accessories == ["l": "outlet: power siren/alarm"])
        #expect(shown.reports["l"]?.readings == [.power: .number(5)] && shown.reports["l"]?.values[on] == .bool(true))
        shown.remove(Self.light("l"))
        shown.settle()
        #expect(shown.accessories == ["d/sensors": "meter: power siren/alarm"])
        let moved = try #require(shown.reports["d/sensors"])
        #expect(moved.readings == [.power: .number(5)] && moved.values[on] == .bool(true) && moved.reachable == true)
        shown.announce(Self.light("l"))
        shown.settle()
        #expect(shown.accessories == ["l": "outlet: power siren/alarm"])
        for part in [Self.power, siren] { shown.remove(part) }
        shown.settle()
        #expect(shown.accessories == ["l": "outlet: "])
        shown.remove(Self.light("l"))
        shown.settle()
        #expect(shown.accessories.isEmpty && shown.parts.deadline == nil)
    }

    @Test("receive their commands through the accessory that shows them")
    func commands() {
        var shown = Shown()
        for part in [Self.light("l"), Self.scene] { shown.announce(part) }
        var command = LightCommand(on: true)
        command.values[Property(.on, of: "scene/feed")] = .bool(true)
        #expect(shown.parts.divided(command, to: "l").parts.isEmpty)
        shown.settle()
        let (parts, own) = shown.parts.divided(command, to: "l")
        #expect(parts.map(\.id) == ["s"] && own == LightCommand(on: true))
        shown.remove(Self.scene)
        #expect(shown.parts.divided(command, to: "l").own == command)
    }
}
