import HAPModel
import HomeModel
import HomePresentation
import Testing

@testable import homeweb

@Suite("Graphs") struct GraphTests {
    private static let end = Timestamp(millisecondsSince1970: 1_800_000_000_000)

    private func graph(
        _ values: [(hoursAgo: Double, value: CharacteristicValue)], _ type: CharacteristicType = .currentTemperature,
        _ format: CharacteristicFormat = .float, unit: CharacteristicUnit? = .celsius, span: Graph.Span = .day
    ) -> Graph {
        var random = SystemRandomNumberGenerator()
        let characteristic = Characteristic(
            id: Characteristic.ID(using: &random), service: Service.ID(using: &random), iid: InstanceID(9), type: type,
            metadata: CharacteristicMetadata(format: format, permissions: [.pairedRead], unit: unit))
        let entries = values.map { hours, value in
            HistoryEntry(
                time: Timestamp(millisecondsSince1970: Self.end.millisecondsSince1970 - Int64(hours * 3_600_000)),
                value: value)
        }
        return Graph(entries, of: characteristic, span: span, end: Self.end, time: HomeTime(zone: .utc, now: Self.end))
    }

    private func line(_ graph: Graph) -> String? {
        graph.svg.firstMatch(of: /class="line" d="([^"]*)"/).map { String($0.1) }
    }

    @Test("connect measurements, from the value at the start to the end of the period") func measurements() {
        let graph = graph([(30, .float(20)), (12, .float(22)), (6, .float(21))])
        #expect(line(graph) == "M8 156L320 24L476 90H632")
        #expect(graph.words == "20 °C to 22 °C" && graph.svg.contains("22 °C"))
    }

    @Test("show states as steps") func states() {
        let graph = graph([(24, .bool(false)), (12, .bool(true)), (6, .bool(false))], .on, .bool, unit: nil)
        #expect(line(graph) == "M8 156H320V24H476V156H632")
    }

    @Test("have a line in the middle for a constant value") func constant() {
        #expect(line(graph([(40, .float(20))])) == "M8 90H632")
        #expect(graph([(40, .float(20))]).words == "20 °C")
    }

    @Test("show the largest numbers that an accessory can send") func largestNumbers() {
        let values: [(Double, CharacteristicValue)] = [(2, .unsigned(.max)), (1, .integer(.min))]
        let graph = graph(values, .carbonDioxideLevel, .uint64, unit: nil)
        #expect(graph.words?.contains("to") == true && line(graph) != nil)
    }

    @Test("show a message if there are no values, and ignore values that aren't numbers") func noValues() {
        for values in [[], [(2, .string("x"))], [(2, .float(.nan))]] as [[(Double, CharacteristicValue)]] {
            let graph = graph(values)
            #expect(graph.words == nil && graph.svg.contains("No values yet") && line(graph) == nil)
        }
    }

    @Test(
        "label times of day or dates in the home's time zone",
        arguments: [(Graph.Span.day, "12:00", 5), (.week, "01-14", 6), (.month, "01-10", 5)])
    func labels(span: Graph.Span, label: String, count: Int) {
        let svg = graph([(1, .float(20))], span: span).svg
        #expect(svg.contains(">\(label)<"))
        #expect(svg.matches(of: /class="tick"/).count == count)
    }

    @Test("stay small with many values") func size() {
        let values = (0..<Graph.intervals).map { index -> (Double, CharacteristicValue) in
            (24 - Double(index) * 24 / 320, .float(Double(index % 7)))
        }
        #expect(graph(values).svg.utf8.count < 16_000)
    }
}
