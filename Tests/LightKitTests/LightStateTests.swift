import LightKit
import Testing

@Suite("Commands and reports that are merged")
struct LightStateTests {
    /// One command for each thing that a light can be asked.
    private static let parts = [
        LightCommand(on: true), LightCommand(brightness: 30), LightCommand(color: .temperature(mired: 300)),
        LightCommand(color: .hueSaturation(hue: 120, saturation: 50)), LightCommand(transition: .seconds(2)),
        LightCommand(on: false), LightCommand(brightness: 70), LightCommand(transition: .seconds(1)),
        LightCommand(on: true, brightness: 1),
    ]

    @Test("of all commands in any order, what was asked last of each thing holds, and nothing else is lost")
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
        "of all reports in any order, what was said last of each thing holds; one that was spontaneous makes the sum so"
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

    @Test("a command is empty if it asks for nothing, whatever time it gives for that")
    func empty() {
        for part in Self.parts {
            #expect(part.isEmpty == (part.on == nil && part.brightness == nil && part.color == nil))
        }
        #expect(LightCommand().isEmpty)
    }

    /// All ways to take so many of the parts, one after the other.
    private func orders<Part>(of parts: [Part], length: Int) -> [[Part]] {
        guard length > 0 else { return [[]] }
        return parts.indices.flatMap { index in
            var others = parts
            let first = others.remove(at: index)
            return orders(of: others, length: length - 1).map { [first] + $0 }
        }
    }
}
