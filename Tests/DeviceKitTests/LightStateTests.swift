import DeviceKit
import Testing

@Suite("Merging of commands and reports")
struct LightStateTests {
    /// One command for each attribute.
    private static let parts = [
        LightCommand(on: true), LightCommand(brightness: 30), LightCommand(color: .temperature(mired: 300)),
        LightCommand(color: .hueSaturation(hue: 120, saturation: 50)), LightCommand(transition: .seconds(2)),
        LightCommand(on: false), LightCommand(brightness: 70), LightCommand(transition: .seconds(1)),
        LightCommand(on: true, brightness: 1),
    ]

    @Test("keeps the last request of each attribute in any order")
    func commands() {
        for order in orders(of: Self.parts, length: 4) {
            var merged = LightCommand()
            for command in order { merged.merge(command) }
            #expect(merged.on == order.compactMap(\.on).last, "\(order)")
            #expect(merged.brightness == order.compactMap(\.brightness).last, "\(order)")
            #expect(merged.color == order.compactMap(\.color).last, "\(order)")
            #expect(merged.transition == order.compactMap(\.transition).last, "\(order)")
        }
    }

    @Test(
        "keeps the last value of each attribute in any order, and marks the result as spontaneous if one report is"
    )
    func reports() {
        var spontaneous = LightReport(on: false)
        spontaneous.isSpontaneous = true
        let parts = [
            LightReport(on: true), LightReport(brightness: 30), LightReport(color: .temperature(mired: 300)),
            LightReport(reachable: false), LightReport(brightness: 70, reachable: true), spontaneous,
        ]
        for order in orders(of: parts, length: 4) {
            var merged = LightReport()
            for report in order { merged.merge(report) }
            #expect(merged.on == order.compactMap(\.on).last, "\(order)")
            #expect(merged.brightness == order.compactMap(\.brightness).last, "\(order)")
            #expect(merged.color == order.compactMap(\.color).last, "\(order)")
            #expect(merged.reachable == order.compactMap(\.reachable).last, "\(order)")
            #expect(merged.isSpontaneous == order.contains(where: \.isSpontaneous), "\(order)")
        }
    }

    @Test("counts a command without attributes as empty, even if it has a transition")
    func empty() {
        for part in Self.parts {
            #expect(part.isEmpty == (part.on == nil && part.brightness == nil && part.color == nil))
        }
        #expect(LightCommand().isEmpty)
    }

    /// Returns all sequences of `length` different elements.
    private func orders<Part>(of parts: [Part], length: Int) -> [[Part]] {
        guard length > 0 else { return [[]] }
        return parts.indices.flatMap { index in
            var others = parts
            let first = others.remove(at: index)
            return orders(of: others, length: length - 1).map { [first] + $0 }
        }
    }
}
